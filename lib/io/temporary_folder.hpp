#pragma once

#include <filesystem>
#include <string_view>

namespace torsor::io {

/// A new folder for temporary files, with a unique name. The destructor removes the folder with its files.
class TemporaryFolder {
 public:
  /// The name begins with `torsor-<use>-`. Throws IoError.
  explicit TemporaryFolder(std::string_view use);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace torsor::io
