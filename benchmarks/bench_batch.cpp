// Measures the overhead of a batch over the runs in it. Each case is a heavy top whose run takes about 10 ms
// of computing time. The runs are first measured alone: one after the other, with the models in memory.
// Then the same cases are measured as a batch, which reads, plans and runs the cases, records them in the
// ledger and writes a table. Further batches run ten thousand short cases with one and two threads in this
// process, and with one and two ranks of `torsor batch`. All times are wall-clock times. Counters:
// `cases_a_second`, and `ok`, the fraction of cases that reached their end. At the end the ratios of the
// shortest times are printed. The efficiency of two ranks is printed a second time, without the time for
// starting and ending mpirun, MPI and the program: the time of a batch of 16 cases is subtracted.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "torsor/batch/batch.hpp"
#include "torsor/batch/study.hpp"

namespace {

namespace fs = std::filesystem;
using namespace torsor;

/// A folder for one measurement; removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("bench_batch." + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// A study of heavy tops with random initial attitudes; `end` is the simulated time, s. Returns its path.
std::string write_study(const Folder& folder, int cases, double end) {
  std::ofstream(folder / "top.toml")
      << "gravity = [0, 0, -9.81]\n[run]\nend = " << end << "\noutput = " << end / 4
      << "\n[integrator]\nmethod = \"rkmk-fehlberg78\"\ntolerance = 1e-9\n"
         "[[body]]\nname = \"top\"\nmass = 15\ninertia = [0.234375, 0.46875, 0.234375]\n"
         "angular_velocity_body = [0, 150, -4.61538]\n"
         "[[joint]]\nname = \"pivot\"\nkind = \"spherical\"\nchild = \"top\"\n"
         "child_frame.position = [0, -1, 0]\n";
  std::ofstream(folder / "study.toml") << "scene = \"top.toml\"\nseed = 1\ndraws = " << cases
                                       << "\n[[parameter]]\nkind = \"rotation\"\n"
                                          "key = \"body.top.quaternion_wxyz\"\n"
                                          "[keep]\ncolumns = [\"body.top.z\"]\n";
  return (folder / "study.toml").string();
}

constexpr int many = 10'000, few = 16;
constexpr double ten_milliseconds = 24;  ///< simulated time that takes 10 ms to compute, s
constexpr double short_motion = 2;       ///< s

void tell(benchmark::State& state, long cases, double ended) {
  state.counters["cases_a_second"] =
      benchmark::Counter(static_cast<double>(cases), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["ok"] = ended / static_cast<double>(cases);
}

void bare(benchmark::State& state) {
  const Folder folder;
  const batch::Study study =
      batch::load_study(write_study(folder, static_cast<int>(state.range(0)), ten_milliseconds));
  std::vector<std::pair<scene::ReadyModel, scene::Scene>> cases;
  for (std::int64_t k = 0; k < study.cases(); ++k) {
    scene::Scene scene = study.scene.scene(study.overrides(study.values(k)));
    scene::ReadyModel ready = make_model(scene);
    cases.emplace_back(std::move(ready), std::move(scene));
  }
  long ended = 0;
  for (auto _ : state) {
    ended = 0;
    for (const auto& [ready, scene] : cases)
      ended += run(ready.model, ready.start, scene.run).summary.status == StepStatus::reached_end;
  }
  tell(state, study.cases(), static_cast<double>(ended));
}

void batch(benchmark::State& state, double end) {
  const Folder folder;
  const std::string file = write_study(folder, static_cast<int>(state.range(0)), end);
  batch::BatchState last;
  for (auto _ : state) {
    fs::remove_all(folder / "out");
    const batch::Study study = batch::load_study(file);
    last = run_batch(study, {.folder = folder / "out", .threads = static_cast<int>(state.range(1))}).state;
  }
  tell(state, last.done, static_cast<double>(last.done - last.failed));
}

void ranks(benchmark::State& state) {
  const Folder folder;
  const std::string command = "mpirun -np " + std::to_string(state.range(1)) + " " TORSOR_COMMAND " batch " +
                              write_study(folder, static_cast<int>(state.range(0)), short_motion) + " -o " +
                              (folder / "out").string() + " --progress none --quiet >/dev/null 2>&1";
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"})
    ::setenv(name, "1", 1);
  for (auto _ : state) {
    fs::remove_all(folder / "out");
    if (std::system(command.c_str()) != 0) return state.SkipWithError("mpirun torsor batch failed");
  }
  const batch::BatchState last = batch::batch_state(folder / "out");
  tell(state, last.done, static_cast<double>(last.done - last.failed));
}

BENCHMARK(bare)
    ->Arg(200)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Name("bare runs of 10 ms");
BENCHMARK_CAPTURE(batch, ten_ms, ten_milliseconds)
    ->Args({200, 1})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Name("batch of 10 ms/threads");
BENCHMARK_CAPTURE(batch, short, short_motion)
    ->Args({many, 1})
    ->Args({many, 2})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Iterations(1)
    ->Name("batch/threads");
BENCHMARK(ranks)
    ->Args({few, 1})
    ->Args({few, 2})
    ->Args({many, 1})
    ->Args({many, 2})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Iterations(1)
    ->Name("batch/ranks");

/// Also keeps the shortest time of each benchmark, and prints the ratios.
class Summary : public benchmark::ConsoleReporter {
 public:
  Summary() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
      const double time = run.GetAdjustedRealTime();
      double& least =
          least_.try_emplace(run.run_name.function_name + "/" + run.run_name.args, time).first->second;
      least = std::min(least, time);
    }
  }

  void print() const {
    tell("overhead of a batch over the bare runs",
         time("batch of 10 ms/threads", 200, 1) / least("bare runs of 10 ms/200") - 1);
    for (const std::string name : {"batch/threads", "batch/ranks"})
      tell("efficiency of 2 against 1, " + name, time(name, many, 1) / time(name, many, 2) / 2);
    const auto without_start = [this](int count) {
      return time("batch/ranks", many, count) - time("batch/ranks", few, count);
    };
    tell("the same without start and end of MPI", without_start(1) / without_start(2) / 2);
  }

 private:
  static void tell(const std::string& what, double value) {
    if (!std::isnan(value)) std::printf("%-40s %6.3f\n", what.c_str(), value);
  }
  double time(const std::string& name, int cases, int count) const {
    return least(name + "/" + std::to_string(cases) + "/" + std::to_string(count));
  }
  /// NaN if the benchmark was not run.
  double least(const std::string& name) const {
    const auto found = least_.find(name);
    return found == least_.end() ? std::nan("") : found->second;
  }

  std::map<std::string, double> least_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  Summary reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  reporter.print();
}
