#include "torsor/io/result.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "partial_file.hpp"
#include "torsor/io/csv.hpp"
#include "torsor/io/hdf5.hpp"

namespace torsor {
namespace fs = std::filesystem;
namespace {

/// "top.h5.partial.1234": a name that only our writers give.
bool is_partial(const std::string& name) {
  constexpr std::string_view mark = ".partial.";
  const auto at = name.rfind(mark);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return at != std::string::npos && at > 0 && at + mark.size() < name.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at + mark.size()), name.end(), is_digit);
}

}  // namespace

ResultFolder::ResultFolder(fs::path folder) : path_(std::move(folder)) {
  std::error_code failure;
  fs::create_directories(path_, failure);
  if (failure) throw IoError(fmt::format("cannot create {}: {}", path_.string(), failure.message()));
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) throw system_error("open", path_);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(lock_);
    throw IoError(fmt::format("{} is in use: another run is writing to it", path_.string()), true);
  }
  if (::access(path_.c_str(), W_OK | X_OK) != 0) {
    const auto error = system_error("write to", path_);
    ::close(lock_);
    throw error;
  }
  for (const auto& entry : fs::directory_iterator(path_, failure)) {
    if (is_partial(entry.path().filename().string())) fs::remove(entry.path(), failure);
  }
}

ResultFolder::~ResultFolder() { ::close(lock_); }

namespace {

template <class AnyTrajectory>
std::vector<fs::path> write_all(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
                                const Scene& scene, const AnyTrajectory& trajectory) {
  const std::string stem = file_label(scene.name);
  std::vector<fs::path> written;
  for (const ResultFormat format : formats) {
    const bool h5 = format == ResultFormat::h5;
    const fs::path path = folder.path() / (stem + (h5 ? ".h5" : ".csv"));
    if (h5)
      write_hdf5(path, scene, trajectory);
    else
      write_csv(path, scene, trajectory);
    written.push_back(path);
  }
  return written;
}

}  // namespace

std::vector<fs::path> write_result(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
                                   const Scene& scene, const Trajectory& trajectory) {
  return write_all(folder, formats, scene, trajectory);
}
std::vector<fs::path> write_result(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
                                   const Scene& scene, const ChartTrajectory& trajectory) {
  return write_all(folder, formats, scene, trajectory);
}

std::string event_name(const Scene& scene, const EventRecord& record) {
  const auto index = static_cast<std::size_t>(record.event), own = scene.run.events.size();
  if (index < own) return scene.run.events[index].name;
  return scene.chart ? scene.chart->events.at(index - own).name : scene.events.at(index - own).name;
}

std::string file_label(const std::string& name) {
  std::string label = name.empty() ? "_" : name;
  for (char& c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    if (!plain) c = '_';
  }
  if (label.front() == '.') label.front() = '_';
  return label.substr(0, 200);
}

}  // namespace torsor
