#pragma once

#include <stdexcept>
#include <string>

namespace torsor {

/// A file or folder that cannot be written: the message names the path, what was tried and the system's
/// reason. `locked`: another process is writing to the same folder.
class IoError : public std::runtime_error {
 public:
  explicit IoError(const std::string& message, bool locked_ = false)
      : std::runtime_error(message), locked(locked_) {}
  bool locked;
};

}  // namespace torsor
