#include "hdf5_result.hpp"

#include "io/result.hpp"
#include "torsor/io/hdf5.hpp"

namespace torsor {
namespace {

void write_events(Hdf5File& file, const Scene& scene, const RunSummary& summary) {
  std::vector<std::string> names;
  for (const EventRecord& record : summary.events) names.push_back(event_name(scene, record));
  file.group("/events");
  file.strings("/events/names", names);
  file.array("/events/time", names.size(), {},
             [&](std::size_t i, std::span<double> row) { row[0] = summary.events[i].t; });
  file.attribute("/events/time", {"unit", std::string("s")});
}

template <class AnyTrajectory>
class Hdf5Result final : public ResultFile<AnyTrajectory> {
 public:
  using AnySample = typename ResultFile<AnyTrajectory>::AnySample;

  Hdf5Result(const std::filesystem::path& path, const Scene& scene, const Overwrite& overwrite)
      : scene_(scene), file_(path, "torsor/result/1", overwrite), sets_(file_) {
    file_.text("/scene", scene.resolved);
  }

  void add(const AnySample& sample) override {
    if (!std::exchange(declared_, true)) declare(file_, sets_, scene_, sample);
    sets_.take(sample);
    file_.check_disk();
  }

  void commit(const AnyTrajectory& trajectory) override {
    sets_.close();
    write_events(file_, scene_, trajectory.summary);
    for (const Fact& fact : facts(scene_, trajectory)) file_.attribute("/", fact);
    file_.commit();
  }

 private:
  const Scene& scene_;
  Hdf5File file_;
  Hdf5Samples<AnySample> sets_;
  bool declared_ = false;
};

}  // namespace

template <class AnyTrajectory>
std::unique_ptr<ResultFile<AnyTrajectory>> begin_hdf5(const std::filesystem::path& path, const Scene& scene,
                                                      const Overwrite& overwrite) {
  return std::make_unique<Hdf5Result<AnyTrajectory>>(path, scene, overwrite);
}
template std::unique_ptr<ResultFile<Trajectory>> begin_hdf5(const std::filesystem::path&, const Scene&,
                                                            const Overwrite&);
template std::unique_ptr<ResultFile<ChartTrajectory>> begin_hdf5(const std::filesystem::path&, const Scene&,
                                                                 const Overwrite&);

void write_hdf5(const std::filesystem::path& path, const Scene& scene, const Trajectory& trajectory,
                const Overwrite& overwrite) {
  write_whole(*begin_hdf5<Trajectory>(path, scene, overwrite), trajectory);
}
void write_hdf5(const std::filesystem::path& path, const Scene& scene, const ChartTrajectory& trajectory,
                const Overwrite& overwrite) {
  write_whole(*begin_hdf5<ChartTrajectory>(path, scene, overwrite), trajectory);
}

}  // namespace torsor
