#include "digest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "torsor/io/stored_result.hpp"

namespace torsor::io {
namespace {

constexpr std::size_t hash_digits = 32;
constexpr std::size_t longest_line = 128;  ///< bytes; longer than the digest line of any kind

std::string digits(const XXH128_hash_t& hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string line(std::string_view kind, std::string_view hash) {
  return fmt::format("\n{}{}\n", digest_mark(kind), hash);
}

std::uint64_t size_of(int file, const std::filesystem::path& path) {
  struct stat about = {};
  if (::fstat(file, &about) != 0) throw system_error("read", path);
  return static_cast<std::uint64_t>(about.st_size);
}

/// Reads `count` bytes, or fewer if the file ends before. Returns the number of bytes read.
std::size_t read_at(int file, std::uint64_t offset, char* bytes, std::size_t count,
                    const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < count) {
    const auto got = ::pread(file, bytes + done, count - done, static_cast<::off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("read", path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

/// A message for a file that does not end with a digest of the kind `wanted`. `end`: its last bytes.
std::string no_digest(std::string_view end, std::string_view wanted, const std::filesystem::path& path) {
  for (const std::string_view other : {result_kind, segment_kind})
    if (other != wanted && end.find("\n" + digest_mark(other)) != std::string_view::npos)
      return fmt::format("{} has the format {}, not {}", path.string(), other, wanted);
  return fmt::format(
      "{} ends without the digest of Torsor: it is damaged, or another program or an older "
      "version wrote it",
      path.string());
}

}  // namespace

std::string content_hash(std::string_view bytes) { return digits(XXH3_128bits(bytes.data(), bytes.size())); }

std::string content_hash(int file, std::uint64_t size, const std::filesystem::path& path) {
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  std::vector<char> block(1 << 20);
  for (std::uint64_t at = 0; at < size;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), size - at));
    const std::size_t got = read_at(file, at, block.data(), wanted, path);
    if (got == 0) break;
    XXH3_128bits_update(state.get(), block.data(), got);
    at += got;
  }
  return digits(XXH3_128bits_digest(state.get()));
}

std::string digest_mark(std::string_view kind) { return fmt::format("{} xxh3-128 ", kind); }

std::string append_digest(OutputFile& file, std::string_view kind) {
  file.flush();
  const std::uint64_t size = size_of(file.descriptor(), file.path());
  std::string hash = content_hash(file.descriptor(), size, file.path());
  if (::lseek(file.descriptor(), 0, SEEK_END) < 0) throw system_error("write", file.path());
  file.bytes = line(kind, hash);
  file.flush();
  return hash;
}

std::string check_digest(int file, std::string_view kind, const std::filesystem::path& path) {
  const std::size_t length = line(kind, std::string(hash_digits, '0')).size();
  const std::uint64_t size = size_of(file, path);
  std::string end(static_cast<std::size_t>(std::min<std::uint64_t>(longest_line, size)), '\0');
  read_at(file, size - end.size(), end.data(), end.size(), path);
  const std::string_view last = std::string_view(end).substr(end.size() - std::min(length, end.size()));
  if (!last.starts_with("\n" + digest_mark(kind))) throw ResultError(no_digest(end, kind, path));
  std::string hash = content_hash(file, size - length, path);
  if (last != line(kind, hash))
    throw ResultError(fmt::format("{} is damaged: its contents do not match its digest", path.string()));
  return hash;
}

InputFile::InputFile(const std::filesystem::path& path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {
  if (file_ < 0) throw system_error("read", path);
  struct stat about = {};
  if (::fstat(file_, &about) == 0 && S_ISREG(about.st_mode)) return;
  ::close(file_);
  throw ResultError(fmt::format("{} is not a regular file", path.string()));
}

InputFile::~InputFile() { ::close(file_); }

}  // namespace torsor::io
