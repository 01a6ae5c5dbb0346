#include "child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace torsor::io {
namespace {

/// Called in the child process. The process then ends with its parent, ends at a signal without a core file,
/// and prints no errors.
void leave_parent(::pid_t parent, unsigned cpu_limit_s) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent ended before this call
  for (const int signal :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    ::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0}, computing{cpu_limit_s, cpu_limit_s + 1};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &computing);
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
}

void write_all(int file, const void* bytes, std::size_t count) {
  for (const char* at = static_cast<const char*>(bytes); count > 0;) {
    const auto put = ::write(file, at, count);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) ::_exit(1);  // the parent has gone
    at += put;
    count -= static_cast<std::size_t>(put);
  }
}

}  // namespace

ChildProcess::ChildProcess(const std::function<void(const ByteSink&)>& work, unsigned cpu_limit_s)
    : cpu_limit_s_(cpu_limit_s) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  const ::pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ < 0) {
    const int reason = errno;
    ::close(ends[0]), ::close(ends[1]);
    throw std::runtime_error(fmt::format("cannot start a child process: {}", std::strerror(reason)));
  }
  if (child_ == 0) {
    leave_parent(parent, cpu_limit_s);
    ::close(ends[0]);  // so that a write fails if no parent reads
    try {
      work([&](const void* bytes, std::size_t count) { write_all(ends[1], bytes, count); });
    } catch (...) {  // the parent notices that data are missing
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  out_ = ends[0];
}

ChildProcess::~ChildProcess() {
  ::close(out_);
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    end();
  }
}

bool ChildProcess::read(void* bytes, std::size_t count) {
  for (char* at = static_cast<char*>(bytes); count > 0;) {
    const auto got = ::read(out_, at, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string ChildProcess::end() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (!WIFSIGNALED(status)) return "the child process ended too early";
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU)
    return fmt::format("the child process took more than {} s of computing time", cpu_limit_s_);
  return fmt::format("signal {} ended the child process", signal);
}

}  // namespace torsor::io
