#include "io/result.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "io/output_file.hpp"
#include "result_file.hpp"
#include "run/plain_text.hpp"

namespace torsor::io {
namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw IoError(fmt::format("cannot create {}: {}", folder.string(), failure.message()));
}

namespace {

/// Takes the lock of a folder. Returns false if another run has it. `is_locked` holds a shared lock for a
/// moment, but must not cause the refusal of a run. So while there are only shared locks, the function tries
/// again, for about a second. It succeeds without a lock on a file system that has none.
bool take_lock(int folder) {
  constexpr int tries = 100;
  for (int i = 0; i < tries; ++i) {
    if (::flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
    if (::flock(folder, LOCK_SH | LOCK_NB) != 0) return false;
    ::flock(folder, LOCK_UN);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

ResultFolder::ResultFolder(fs::path folder) : path_(std::move(folder)) {
  make_folder(path_);
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) throw system_error("open", path_);
  if (!take_lock(lock_)) {
    ::close(lock_);
    throw IoError(fmt::format("{} is in use: another run is writing to it", path_.string()), true);
  }
  if (::access(path_.c_str(), W_OK | X_OK) != 0) {
    const auto error = system_error("write to", path_);
    ::close(lock_);
    throw error;
  }
}

ResultFolder::~ResultFolder() { ::close(lock_); }

bool is_locked(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool locked = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return locked;
}

ResultWriter::ResultWriter(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
                           const scene::Scene& scene, const Overwrite& overwrite) {
  for (const ResultFormat format : formats) {
    const bool h5 = format == ResultFormat::h5;
    paths_.push_back(folder.path() / (file_label(scene.name) + (h5 ? ".h5" : ".csv")));
    files_.push_back((h5 ? begin_hdf5 : begin_csv)(paths_.back(), scene, overwrite));
  }
}

ResultWriter::~ResultWriter() = default;

void ResultWriter::add(const Sample& sample) {
  for (const auto& file : files_) file->add(sample);
}

/// The files get their names one after the other. So all files of an earlier result but the first are removed
/// before: a process that dies in between leaves files of one run only.
std::vector<fs::path> ResultWriter::finish(const Trajectory& trajectory) {
  for (const auto& file : files_) file->complete(trajectory);
  for (std::size_t i = 1; i < files_.size(); ++i) files_[i]->remove_earlier();
  for (const auto& file : files_) file->commit();
  return paths_;
}

std::vector<fs::path> write_result(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
                                   const scene::Scene& scene, const Trajectory& trajectory,
                                   const Overwrite& overwrite) {
  ResultWriter writer(folder, formats, scene, overwrite);
  for (const Sample& sample : trajectory.samples) writer.add(sample);
  return writer.finish(trajectory);
}

std::string event_name(const scene::Scene& scene, const EventRecord& record) {
  const auto index = static_cast<std::size_t>(record.event), own = scene.run.events.size();
  if (index < own) return scene.run.events[index].name;
  return scene.events.at(index - own).name;
}

std::string file_label(const std::string& name) {
  constexpr std::size_t longest = 200;  // bytes; file systems allow 255, and endings follow
  std::string label;
  for (std::size_t at = 0; at < name.size();) {
    const char c = name[at];
    const std::size_t length = std::max<std::size_t>(utf8_length(name, at), 1);
    if (label.size() + length > longest) break;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || length > 1;
    label += plain ? name.substr(at, length) : "_";
    at += length;
  }
  if (label.empty()) return "_";
  if (label.front() == '.') label.front() = '_';
  return label;
}

}  // namespace torsor::io
