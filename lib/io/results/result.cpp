#include "io/result.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "io/output_file.hpp"
#include "result_file.hpp"

namespace torsor {
namespace fs = std::filesystem;
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
}

ResultFolder::~ResultFolder() { ::close(lock_); }

/// The files of a result: for samples of bodies, or for samples in coordinates.
struct ResultWriter::Files {
  template <class AnyTrajectory>
  using List = std::vector<std::unique_ptr<ResultFile<AnyTrajectory>>>;

  std::vector<fs::path> paths;
  List<Trajectory> of_bodies;
  List<ChartTrajectory> of_coordinates;

  template <class AnyTrajectory>
  void begin(List<AnyTrajectory>& list, const std::vector<ResultFormat>& formats, const Scene& scene,
             const Overwrite& overwrite) {
    for (std::size_t i = 0; i < formats.size(); ++i) {
      const auto begin_file =
          formats[i] == ResultFormat::h5 ? begin_hdf5<AnyTrajectory> : begin_csv<AnyTrajectory>;
      list.push_back(begin_file(paths[i], scene, overwrite));
    }
  }
  template <class AnyTrajectory>
  std::vector<fs::path> finish(List<AnyTrajectory>& list, const AnyTrajectory& trajectory) {
    for (const auto& file : list) file->commit(trajectory);
    return paths;
  }
};

ResultWriter::ResultWriter(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
                           const Scene& scene, const Overwrite& overwrite)
    : files_(std::make_unique<Files>()) {
  for (const ResultFormat format : formats)
    files_->paths.push_back(folder.path() /
                            (file_label(scene.name) + (format == ResultFormat::h5 ? ".h5" : ".csv")));
  if (scene.chart)
    files_->begin(files_->of_coordinates, formats, scene, overwrite);
  else
    files_->begin(files_->of_bodies, formats, scene, overwrite);
}

ResultWriter::~ResultWriter() = default;

void ResultWriter::add(const Sample& sample) {
  for (const auto& file : files_->of_bodies) file->add(sample);
}
void ResultWriter::add(const ChartSample& sample) {
  for (const auto& file : files_->of_coordinates) file->add(sample);
}

std::vector<fs::path> ResultWriter::finish(const Trajectory& trajectory) {
  return files_->finish(files_->of_bodies, trajectory);
}
std::vector<fs::path> ResultWriter::finish(const ChartTrajectory& trajectory) {
  return files_->finish(files_->of_coordinates, trajectory);
}

namespace {

template <class AnyTrajectory>
std::vector<fs::path> write_all(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
                                const Scene& scene, const AnyTrajectory& trajectory,
                                const Overwrite& overwrite) {
  ResultWriter writer(folder, formats, scene, overwrite);
  for (const auto& sample : trajectory.samples) writer.add(sample);
  return writer.finish(trajectory);
}

}  // namespace

std::vector<fs::path> write_result(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
                                   const Scene& scene, const Trajectory& trajectory,
                                   const Overwrite& overwrite) {
  return write_all(folder, formats, scene, trajectory, overwrite);
}
std::vector<fs::path> write_result(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
                                   const Scene& scene, const ChartTrajectory& trajectory,
                                   const Overwrite& overwrite) {
  return write_all(folder, formats, scene, trajectory, overwrite);
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
