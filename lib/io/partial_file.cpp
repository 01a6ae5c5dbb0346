#include "partial_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace torsor {
namespace {

void sync(const std::filesystem::path& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) throw system_error("open", path);
  // A pipe or a device has nothing to flush (EINVAL); every other failure may have lost data.
  const bool failed = ::fsync(file) != 0 && errno != EINVAL;
  const int reason = errno;
  ::close(file);
  errno = reason;
  if (failed) throw system_error("flush", path);
}

}  // namespace

IoError system_error(std::string_view action, const std::filesystem::path& path) {
  return IoError(fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(errno)));
}

PartialFile::PartialFile(std::filesystem::path final_path)
    : final_(std::move(final_path)), partial_(final_.string() + fmt::format(".partial.{}", ::getpid())) {}

PartialFile::~PartialFile() {
  if (!committed_) ::unlink(partial_.c_str());
}

void PartialFile::commit() {
  sync(partial_, O_RDWR);
  if (::rename(partial_.c_str(), final_.c_str()) != 0) throw system_error("create", final_);
  committed_ = true;
  const auto folder = final_.parent_path();
  sync(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path), file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (file_ < 0) throw system_error("create", path_);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
}

void OutputFile::spill() {
  if (bytes.size() > 1 << 20) flush();
}

void OutputFile::flush() {
  for (std::string_view rest = bytes; !rest.empty();) {
    const auto written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error("write", path_);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  bytes.clear();
}

void OutputFile::close() {
  flush();
  if (::close(std::exchange(file_, -1)) != 0) throw system_error("close", path_);
}

}  // namespace torsor
