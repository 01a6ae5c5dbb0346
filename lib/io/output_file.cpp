#include "output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace torsor::io {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

fs::path folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// The target of a symbolic link; the path itself if it is not a link.
fs::path resolved(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_symlink(path, failure)) return path;
  fs::path target = fs::canonical(path, failure);
  if (failure) throw IoError(fmt::format("cannot write {}: {}", path.string(), failure.message()));
  return target;
}

void sync_folder(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) throw system_error("open", folder);
  const bool failed = ::fsync(file) != 0 && errno != EINVAL;  // EINVAL: the file system cannot do it
  const int reason = errno;
  ::close(file);
  errno = reason;
  if (failed) throw system_error("flush", folder);
}

/// Makes a file beside `path` under an unused name `name.partial.<pid>.<n>`. `make` creates the file, or
/// fails with EEXIST if the name is used.
template <class Make>
fs::path make_beside(const fs::path& path, const Make& make) {
  static std::atomic<unsigned> count = 0;
  for (;;) {
    fs::path name = path.string() + fmt::format(".partial.{}.{}", ::getpid(), ++count);
    if (make(name)) return name;
    if (errno != EEXIST) throw system_error("create", path);
  }
}

/// Opens a file without a name; -1 if this fails, or if the file could not get a name later.
int open_tmpfile(const fs::path& folder) {
  if (::access("/proc/self/fd", X_OK) != 0) return -1;
  return ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

}  // namespace

IoError system_error(std::string_view action, const fs::path& path) {
  return IoError(fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(errno)));
}

OutputFile::OutputFile(const fs::path& path, Overwrite overwrite)
    : path_(resolved(path)), overwrite_(std::move(overwrite)) {
  check_overwrite(path_, overwrite_);
  file_ = open_tmpfile(folder_of(path_));
  if (file_ < 0) open_named();
}

fs::path OutputFile::folder() const { return folder_of(path_); }

void OutputFile::open_named() {
  partial_ = make_beside(path_, [this](const fs::path& name) {
    file_ = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    return file_ >= 0;
  });
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void OutputFile::spill() {
  if (bytes.size() > buffer_bytes) flush();
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

void OutputFile::complete() {
  flush();
  if (::fsync(file_) != 0) throw system_error("flush", path_);
  check_overwrite(path_, overwrite_);
}

void OutputFile::remove_earlier() {
  if (::unlink(path_.c_str()) == 0)
    sync_folder(folder_of(path_));
  else if (errno != ENOENT)
    throw system_error("replace", path_);
}

void OutputFile::commit() {
  complete();
  put_name();
  if (::close(std::exchange(file_, -1)) != 0) throw system_error("close", path_);
  sync_folder(folder_of(path_));
}

/// linkat cannot replace an existing file, but rename can. If there is a file to replace, the new file
/// first gets a temporary name.
void OutputFile::put_name() {
  if (partial_.empty()) {
    const std::string open_file = fmt::format("/proc/self/fd/{}", file_);
    const auto link = [&open_file](const fs::path& name) {
      return ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link(path_)) return;
    if (errno != EEXIST) throw system_error("create", path_);
    check_overwrite(path_, overwrite_);  // another process may have made the file just now
    partial_ = make_beside(path_, link);
  }
  if (::rename(partial_.c_str(), path_.c_str()) != 0) throw system_error("create", path_);
  partial_.clear();
}

int open_nameless(const fs::path& folder) {
  int file = open_tmpfile(folder);
  if (file >= 0) return file;
  const fs::path name = make_beside(folder / "waiting", [&file](const fs::path& one) {
    file = ::open(one.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    return file >= 0;
  });
  ::unlink(name.c_str());
  return file;
}

}  // namespace torsor::io
