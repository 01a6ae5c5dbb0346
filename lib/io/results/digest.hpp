#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "io/output_file.hpp"

namespace torsor::io {

/// The formats of files with a digest.
inline constexpr std::string_view result_kind = "torsor/result/1", segment_kind = "torsor/segment/1";

/// XXH3-128 as 32 hexadecimal digits.
std::string content_hash(std::string_view bytes);
/// The same for the first `size` bytes of an open file. `path`: for messages.
std::string content_hash(int file, std::uint64_t size, const std::filesystem::path& path);

/// The beginning of the digest line, up to the hash. The digest line follows the contents of an HDF5 file.
/// The contents record where they end, so HDF5 ignores the line. The line has the kind of the file and the
/// hash of all bytes before the line, as "torsor/result/1 xxh3-128 <32 digits>".
std::string digest_mark(std::string_view kind);

/// Appends the digest line to the file and returns the hash.
std::string append_digest(OutputFile& file, std::string_view kind);

/// The hash in the digest of an open file of this kind. Throws ResultError if the file has no digest or its
/// contents do not match it.
std::string check_digest(int file, std::string_view kind, const std::filesystem::path& path);

/// A regular file, opened read-only and without blocking. Throws ResultError if the path is not a regular
/// file, IoError if it cannot be opened.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  int descriptor() const { return file_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace torsor::io
