#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "torsor/io/results.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::io {

/// Formats in which a result is written.
enum class ResultFormat { h5, csv };

/// Makes a folder, and the folders above it. Throws IoError.
void make_folder(const std::filesystem::path& folder);

/// The folder of one result. It is made if missing, and locked while this object lives, so that two runs
/// never write to the same folder, except on a file system without locks. Throws IoError.
class ResultFolder {
 public:
  explicit ResultFolder(std::filesystem::path folder);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Whether an object of ResultFolder, of any process, has locked this folder.
bool is_locked(const std::filesystem::path& folder);

class ResultFile;

/// Writes the result of a run to a folder, as `<scene>.h5`, as `<scene>.csv`, or as both. Samples are written
/// as they come, so the memory of a run does not grow with its outputs. A file appears complete or not at
/// all. Folder and scene must outlive the writer. All functions throw IoError. The constructor throws it if a
/// file exists that must not be replaced.
class ResultWriter {
 public:
  ResultWriter(const ResultFolder& folder, const std::vector<ResultFormat>& formats,
               const scene::Scene& scene, const Overwrite& overwrite = {});
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  void add(const Sample& sample);
  /// Completes the files with the summary of the run, and returns their paths. No file appears, or replaces
  /// an earlier one, before all are complete.
  std::vector<std::filesystem::path> finish(const Trajectory& trajectory);

 private:
  std::vector<std::filesystem::path> paths_;
  std::vector<std::unique_ptr<ResultFile>> files_;
};

/// Writes a whole result in one call, for a run that has kept its samples.
std::vector<std::filesystem::path> write_result(const ResultFolder& folder,
                                                const std::vector<ResultFormat>& formats,
                                                const scene::Scene& scene, const Trajectory& trajectory,
                                                const Overwrite& overwrite = {});

/// The name of the event to which a record of the run belongs.
std::string event_name(const scene::Scene& scene, const EventRecord& record);

/// The name as part of a file name, of at most 200 bytes: letters, digits, '-', '_', dots and the characters
/// beyond ASCII stay. A dot at the beginning and all other characters become '_', and so does an empty name.
std::string file_label(const std::string& name);

}  // namespace torsor::io
