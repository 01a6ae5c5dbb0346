#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "torsor/io/overwrite.hpp"

namespace torsor {

/// IoError "cannot <action> <path>: <reason of errno>".
IoError system_error(std::string_view action, const std::filesystem::path& path);

/// A file under construction: buffered, every write and the close checked. It has no name until `commit`
/// brings it to the disk and gives it its own, so that a process that dies leaves nothing behind. Where the
/// file system has no files without a name, it is `name.partial.<pid>.<n>` until then.
class OutputFile {
 public:
  /// Throws IoError at once where what stands under that name must not be replaced.
  explicit OutputFile(const std::filesystem::path& path, Overwrite overwrite = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Append here, then call `spill`, which writes when enough has gathered.
  std::string bytes;
  void spill();
  void flush();
  /// Writes what has gathered, brings all to the disk and gives the file its name.
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

/// A file without a name, for what has to wait: it is gone with its descriptor, whatever ends the process.
/// In this folder, for the room that it takes. Throws IoError.
int open_nameless(const std::filesystem::path& folder);

}  // namespace torsor
