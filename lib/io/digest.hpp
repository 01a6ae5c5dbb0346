#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "output_file.hpp"

namespace torsor {

/// XXH3-128 as 32 hexadecimal digits.
std::string content_hash(std::string_view bytes);
/// The same of the first `size` bytes of an open file; `path` stands in messages.
std::string content_hash(int file, std::uint64_t size, const std::filesystem::path& path);

/// What stands behind the contents of an HDF5 file, which end where HDF5 says: a line with the kind of the
/// file and the hash of all that stands before, as "torsor/result/1 xxh3-128 <32 digits>".
std::string digest_mark(std::string_view kind);

/// Puts the digest behind what the file holds, and gives the hash.
std::string append_digest(OutputFile& file, std::string_view kind);

/// The hash in the digest of an open file of this kind. Throws ResultError where the file has none or its
/// contents are others.
std::string check_digest(int file, std::string_view kind, const std::filesystem::path& path);

/// An open file, read only; nothing is waited for. Throws ResultError for what is not a regular file, IoError
/// where it cannot be opened.
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

}  // namespace torsor
