#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

namespace torsor::io {

/// A sink takes `count` bytes; a source returns exactly `count` bytes.
using ByteSink = std::function<void(const void* bytes, std::size_t count)>;
using ByteSource = std::function<void(void* bytes, std::size_t count)>;

/// Runs work in a child process, which is a copy of this one. If the work crashes or does not end, this
/// process continues. This process reads the bytes that the work writes as they arrive.
class ChildProcess {
 public:
  /// `cpu_limit_s`: limit on the computing time (s). Throws std::runtime_error if no process can be started.
  ChildProcess(const std::function<void(const ByteSink&)>& work, unsigned cpu_limit_s);
  /// Kills the child process.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Reads the next bytes; false if the work ended before it wrote them all.
  bool read(void* bytes, std::size_t count);
  /// Waits until the work ends and says how it ended: "the child process took more than 60 s of computing
  /// time", "signal 11 ended the child process", or "the child process ended too early".
  std::string end();

 private:
  unsigned cpu_limit_s_;
  ::pid_t child_ = -1;
  int out_ = -1;
};

}  // namespace torsor::io
