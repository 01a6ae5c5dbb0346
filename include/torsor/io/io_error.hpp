#pragma once

#include <stdexcept>
#include <string>

namespace torsor {

/// A file or folder cannot be read or written. The message names the path, the operation that failed and
/// the reason that the system gives. `locked`: another process is writing to the same folder.
class IoError : public std::runtime_error {
 public:
  explicit IoError(const std::string& message, bool locked_ = false)
      : std::runtime_error(message), locked(locked_) {}
  bool locked;
};

}  // namespace torsor
