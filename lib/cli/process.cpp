#include "process.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "torsor/io/results.hpp"

namespace torsor::cli {
namespace {

constexpr int stopping[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> noted = 0;  // a handler may run on any thread of a batch
static_assert(std::atomic<int>::is_always_lock_free, "only then may a handler write it");
void (*noted_crash)() noexcept = nullptr;

void set_handler(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

bool ignored(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

bool shows_colours(int descriptor) {
  const char *const terminal = std::getenv("TERM"), *const no_color = std::getenv("NO_COLOR");
  return is_terminal(descriptor) && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

}  // namespace

void prepare_process() {
  for (int null = ::open("/dev/null", O_RDWR); null >= 0; null = ::open("/dev/null", O_RDWR)) {
    if (null <= STDERR_FILENO) continue;  // this descriptor was closed: leave it on /dev/null
    ::close(null);
    break;
  }
  set_handler(SIGPIPE, SIG_IGN, 0);
  set_handler(SIGXFSZ, SIG_IGN, 0);
}

void on_crash(void (*note)() noexcept) {
  noted_crash = note;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    set_handler(
        signal,
        [](int which) {
          noted_crash();
          ::raise(which);
        },
        SA_RESETHAND | SA_ONSTACK);
  }
}

void print(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      ::_exit(128 + SIGPIPE);
    } else if (errno != EINTR) {
      throw io::IoError(std::string("cannot write to standard output: ") + std::strerror(errno));
    }
  }
}

void print_error(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

int terminal_width(int descriptor) {
  winsize size = {};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string_view style_begin(Style style, int descriptor) {
  if (!shows_colours(descriptor)) return "";
  return style == Style::bold ? "\033[1m" : style == Style::good ? "\033[32m" : "\033[31m";
}

std::string_view style_end(int descriptor) { return shows_colours(descriptor) ? "\033[0m" : ""; }

Interrupts::Interrupts() {
  noted = 0;
  for (const int signal : stopping) {  // a signal that the caller ignores (nohup) stays ignored
    if (!ignored(signal)) {
      set_handler(
          signal,
          [](int which) {
            noted = which;
            for (const int other : stopping)
              if (!ignored(other)) set_handler(other, SIG_DFL, 0);
          },
          SA_RESTART);
    }
  }
}

Interrupts::~Interrupts() {
  for (const int signal : stopping) {
    if (!ignored(signal)) set_handler(signal, SIG_DFL, 0);
  }
}

int Interrupts::signal() { return noted; }

}  // namespace torsor::cli
