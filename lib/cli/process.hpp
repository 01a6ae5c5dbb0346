#pragma once

#include <string_view>

namespace torsor::cli {

/// Makes the process independent of how it was started. Opens descriptors 0 to 2 if they are closed,
/// because a result file must never become the standard output. Writing to a closed pipe, or to a file at
/// its size limit, then fails with an error instead of a signal.
void prepare_process();

/// Calls `note` when the program is about to end by SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT. `note` must
/// be safe in a signal handler. After an overflow of its stack, a thread calls `note` only if it has a stack
/// for signals.
void on_crash(void (*note)() noexcept);

/// Writes the whole text to standard output, or throws IoError. If the reader has closed the pipe (`| head`),
/// the process ends without a message and with the exit code of SIGPIPE.
void print(std::string_view text);

/// Writes to standard error; a failure is ignored.
void print_error(std::string_view text);

/// Whether a descriptor is a terminal, and the width of its lines in characters, 80 if unknown.
bool is_terminal(int descriptor);
int terminal_width(int descriptor);

/// Escape sequences that begin and end a style. Empty unless the descriptor is a terminal that shows colours
/// and NO_COLOR is empty or not set.
enum class Style { bold, good, bad };
std::string_view style_begin(Style style, int descriptor);
std::string_view style_end(int descriptor);

/// While an object of this class exists, the first SIGINT, SIGTERM or SIGHUP is only recorded; the second
/// ends the process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// The signal that was recorded, or 0.
  static int signal();
};

}  // namespace torsor::cli
