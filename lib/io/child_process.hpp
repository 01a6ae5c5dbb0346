#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>

namespace torsor {

/// Takes bytes; gives exactly so many bytes.
using ByteSink = std::function<void(const void* bytes, std::size_t count)>;
using ByteSource = std::function<void(void* bytes, std::size_t count)>;

/// Work in a process of its own, a copy of this one: where it crashes or does not come to an end, this
/// process goes on. What the work writes is read here as it comes.
class ChildProcess {
 public:
  /// `cpu_limit_s`: the longest computing time. Throws std::runtime_error where no process can be had.
  ChildProcess(const std::function<void(const ByteSink&)>& work, unsigned cpu_limit_s);
  /// Ends the work.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Gives the next bytes; false where the work ended before.
  bool read(void* bytes, std::size_t count);
  /// How the work ended, waiting for it: "it took more than 60 s of computing time", "it died of signal 11",
  /// or "it ended too early".
  std::string end();

 private:
  unsigned cpu_limit_s_;
  ::pid_t child_ = -1;
  int out_ = -1;
};

}  // namespace torsor
