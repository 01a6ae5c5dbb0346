#pragma once

#include <string_view>

namespace torsor::cli {

/// Makes the process indifferent to how it was started: descriptors 0 to 2 are open (a result file must never
/// become the standard output), a closed pipe and a full file are errors of the write instead of signals.
void prepare_process();

/// Calls `note` when the program is about to die of a mistake of its own; it must be fit for a signal
/// handler.
void on_crash(void (*note)() noexcept);

/// Writes all of it to standard output, or throws IoError. A reader that has gone away (`| head`) ends the
/// process quietly, as SIGPIPE would.
void print(std::string_view text);

/// Writes to standard error; where that fails there is nobody left to tell.
void tell(std::string_view text);

/// Whether people read there, and the width of their line.
bool is_terminal(int descriptor);
int terminal_width(int descriptor);

/// The text set off on a terminal that shows colours, plain elsewhere and where NO_COLOR is set.
enum class Style { bold, good, bad };
std::string_view style_begin(Style style, int descriptor);
std::string_view style_end(int descriptor);

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is only noted; the second ends the process.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// The signal that asked to stop, 0 while none has.
  static int signal();
};

}  // namespace torsor::cli
