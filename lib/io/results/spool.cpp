#include "spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace torsor::io {
namespace {

constexpr std::size_t block = 1 << 20;

}  // namespace

Spool::~Spool() {
  if (file_ >= 0) ::close(file_);
}

void Spool::spill() {
  if (bytes.size() < block) return;
  if (file_ < 0) file_ = open_nameless(folder_);
  for (std::size_t done = 0; done < bytes.size();) {
    const auto put = ::write(file_, bytes.data() + done, bytes.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw system_error("write", folder_);
    done += static_cast<std::size_t>(put);
  }
  size_ += bytes.size();
  bytes.clear();
}

void Spool::pour_into(OutputFile& out) {
  for (std::uint64_t at = 0; at < size_;) {
    out.flush();
    out.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(block, size_ - at)));
    const auto got = ::pread(file_, out.bytes.data(), out.bytes.size(), static_cast<::off_t>(at));
    if (got < 0 && errno == EINTR) {
      out.bytes.clear();
      continue;
    }
    if (got <= 0) throw system_error("read", folder_);
    out.bytes.resize(static_cast<std::size_t>(got));
    // Frees the disk space of the bytes read. If the file system cannot do this, the space is freed at the
    // end.
    ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<::off_t>(at), got);
    at += static_cast<std::uint64_t>(got);
  }
  out.flush();
  out.bytes = std::move(bytes);
  bytes.clear();
}

}  // namespace torsor::io
