#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "torsor/io/results.hpp"

namespace torsor::io {

/// IoError "cannot <action> <path>: <reason of errno>".
IoError system_error(std::string_view action, const std::filesystem::path& path);

/// Writes a file, buffered, and checks every write and the close. The file has no name until `commit` has
/// written it to the disk and names it, so that a process that dies leaves nothing behind. If the file
/// system does not have files without a name, the file is called `name.partial.<pid>.<n>` until then.
class OutputFile {
 public:
  /// Throws IoError at once if the path names an existing file that must not be replaced.
  explicit OutputFile(const std::filesystem::path& path, Overwrite overwrite = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Append here, then call `spill`, which writes once there are more than 1 MiB.
  std::string bytes;
  void spill();
  void flush();
  /// Writes the remaining bytes and flushes the file to the disk. Throws IoError also if its name is that of
  /// a file that must not be replaced.
  void complete();
  /// Removes the earlier file of this name. Call `complete` first.
  void remove_earlier();
  /// Completes the file and gives it its name.
  void commit();

  /// For callers that read and write the file directly. Call `flush` first.
  int descriptor() const { return file_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path folder() const;

 private:
  void open_named();
  void put_name();

  std::filesystem::path path_, partial_;  ///< `partial_` is empty while the file has no name
  Overwrite overwrite_;
  int file_ = -1;
};

/// Opens a temporary file without a name. It vanishes with its descriptor, however the process ends. It
/// takes its disk space from the file system of this folder. Throws IoError.
int open_nameless(const std::filesystem::path& folder);

}  // namespace torsor::io
