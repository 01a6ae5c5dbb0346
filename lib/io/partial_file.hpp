#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "torsor/io/io_error.hpp"

namespace torsor {

/// IoError "cannot <action> <path>: <reason of errno>".
IoError system_error(std::string_view action, const std::filesystem::path& path);

/// Name under which a file is written before it takes its own: `name.partial.<pid>`. `commit` brings it to
/// the disk and renames it; without commit it is removed.
class PartialFile {
 public:
  explicit PartialFile(std::filesystem::path final_path);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::filesystem::path& path() const { return partial_; }
  void commit();

 private:
  std::filesystem::path final_, partial_;
  bool committed_ = false;
};

/// A file under construction: buffered, every write and the close checked.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Append here, then call `spill`, which writes when enough has gathered.
  std::string bytes;
  void spill();
  void close();

 private:
  void flush();
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace torsor
