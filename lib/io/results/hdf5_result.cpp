#include "digest.hpp"
#include "hdf5_samples.hpp"
#include "io/motion_kind.hpp"
#include "io/pages/facts.hpp"
#include "io/result.hpp"
#include "result_file.hpp"
#include "torsor/io/results.hpp"

namespace torsor::io {
namespace {

void write_events(Hdf5File& file, const scene::Scene& scene, const RunSummary& summary) {
  std::vector<std::string> names;
  for (const EventRecord& record : summary.events) names.push_back(event_name(scene, record));
  file.group("/events");
  file.strings("/events/names", names);
  file.array("/events/time", names.size(), {},
             [&](std::size_t i, std::span<double> row) { row[0] = summary.events[i].t; });
  file.attribute("/events/time", {"unit", std::string("s")});
}

class Hdf5Result final : public ResultFile {
 public:
  Hdf5Result(const std::filesystem::path& path, const scene::Scene& scene, const Overwrite& overwrite)
      : scene_(scene), file_(path, std::string(result_kind), keep_tables(overwrite, scene)), sets_(file_) {
    file_.text("/scene", scene.resolved);
  }

  void add(const Sample& sample) override {
    check_sample(scene_, sample);
    if (!std::exchange(declared_, true)) motion_kind(scene_).declare(file_, sets_, scene_, sample);
    sets_.take(sample);
    file_.check_disk();
  }

  void complete(const Trajectory& trajectory) override {
    sets_.close();
    write_events(file_, scene_, trajectory.summary);
    for (const Fact& fact : facts(scene_, trajectory)) file_.attribute("/", fact);
    file_.complete();
  }
  void remove_earlier() override { file_.remove_earlier(); }
  void commit() override { file_.commit(); }

 private:
  const scene::Scene& scene_;
  Hdf5File file_;
  Hdf5Samples sets_;
  bool declared_ = false;
};

}  // namespace

std::unique_ptr<ResultFile> begin_hdf5(const std::filesystem::path& path, const scene::Scene& scene,
                                       const Overwrite& overwrite) {
  return std::make_unique<Hdf5Result>(path, scene, overwrite);
}

void write_hdf5(const std::filesystem::path& path, const scene::Scene& scene, const Trajectory& trajectory,
                const Overwrite& overwrite) {
  write_whole(*begin_hdf5(path, scene, overwrite), trajectory);
}

}  // namespace torsor::io
