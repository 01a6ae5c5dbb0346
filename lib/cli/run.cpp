#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "exit_code.hpp"
#include "io/motion_kind.hpp"
#include "io/result_plan.hpp"
#include "process.hpp"
#include "progress.hpp"
#include "scene/start_rows.hpp"
#include "scene_files.hpp"
#include "torsor/io/results.hpp"
#include "torsor/scene/scene.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

std::string control(const SimulationOptions& options) {
  return options.step ? fmt::format("step {} s", *options.step)
                      : fmt::format("tolerance {}", options.tolerance.value_or(0));
}

/// The form of the equations: formulation and group, or the equations of a system in coordinates.
std::string form(const scene::Scene& scene) {
  const io::MotionKind& kind = io::motion_kind(scene);
  std::string text;
  for (const auto& [name, value] : kind.form(scene)) {
    if (!text.empty()) text += ", ";
    text += kind.in_coordinates ? fmt::format("{}: {}", name, value) : std::string(value);
  }
  return text;
}

std::string duration(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

/// The outcome of the run as text. An event that the scene requests is not a failure.
std::string outcome(const RunSummary& run) {
  return run.status == StepStatus::event ? fmt::format("ended as asked, by {} s", run.message)
                                         : fmt::format("{} at t = {} s", to_string(run.status), run.t);
}

/// The summary that is printed at the end of a run.
std::string summary(const scene::Scene& scene, const Trajectory& trajectory,
                    const std::vector<std::filesystem::path>& files) {
  const RunSummary& run = trajectory.summary;
  const bool good = exit_code(run.status, 0) == success;
  std::string text = fmt::format(
      "{}{}{}  {}{}{}\n", style_begin(Style::bold, STDOUT_FILENO), scene.name, style_end(STDOUT_FILENO),
      style_begin(good ? Style::good : Style::bad, STDOUT_FILENO), outcome(run), style_end(STDOUT_FILENO));
  std::vector<std::vector<std::string>> rows = {
      {"method", fmt::format("{}, {}, {}", scene.run.method, control(scene.run), form(scene))},
      {"steps", fmt::format("{} accepted, {} rejected, {} evaluations in {}", run.accepted, run.rejected,
                            run.evaluations, duration(run.wall_s))}};
  // A run that fails at its start has no energy.
  if (const double energy = trajectory.samples.back().invariants.energy(); !std::isnan(energy))
    rows.push_back(
        {"energy", fmt::format("{:.10g} J, drift at most {:.2g} J", energy, trajectory.energy_max_drift)});
  if (run.general_solutions > 0)
    rows.push_back({"solver", fmt::format("{} linear system{} fell back to the general sparse solver",
                                          run.general_solutions, run.general_solutions == 1 ? "" : "s")});
  if (const std::string shared = shared_text(scene, trajectory); !shared.empty())
    rows.push_back({"shared", shared});
  for (const EventRecord& record : run.events)
    rows.push_back({"event", fmt::format("{} at t = {} s", io::event_name(scene, record), record.t)});
  for (const auto& file : files) rows.push_back({&file == &files.front() ? "result" : "", file.string()});
  return text + table(rows, 2);
}

/// Writes the files of a run. It keeps an IoError until `rethrow`, so that the outcome of the run is reported
/// even if a file cannot be written.
class Writing {
 public:
  Writing(const std::string& folder, const RunArguments& arguments, const scene::Scene& scene,
          const std::string& scene_file)
      : folder_(folder) {
    writer_.emplace(folder_, arguments.formats, scene,
                    io::Overwrite{.force = arguments.force, .inputs = {scene_file}});
  }

  void add(const Sample& sample) {
    attempt([&] { writer_->add(sample); });
  }
  void finish(const Trajectory& trajectory) {
    attempt([&] { files_ = writer_->finish(trajectory); });
  }
  /// Prints a note on each file of an earlier run that this run leaves beside its own.
  void tell_earlier() const {
    if (files_.empty()) return;
    for (const char* ending : {".h5", ".csv"}) {
      const auto other = std::filesystem::path(files_.front()).replace_extension(ending);
      std::error_code failure;
      if (std::find(files_.begin(), files_.end(), other) == files_.end() &&
          std::filesystem::exists(other, failure))
        print_error(fmt::format("note: {} is of an earlier run\n", other.string()));
    }
  }
  bool failed() const { return failure_ != nullptr; }
  const std::vector<std::filesystem::path>& files() const { return files_; }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  template <class Step>
  void attempt(const Step& step) try {
    if (writer_) step();
  } catch (const io::IoError&) {
    failure_ = std::current_exception();
    writer_.reset();
  }

  io::ResultFolder folder_;
  std::optional<io::ResultWriter> writer_;
  std::exception_ptr failure_;
  std::vector<std::filesystem::path> files_;
};

/// Refuses a run, before it begins, if its files would exceed the free disk space or --disk-limit.
void check_disk(const RunArguments& arguments, const scene::Scene& scene, const std::string& folder) {
  if (io::planned_outputs(scene.run) < 1000 && !arguments.disk_limit)
    return;  // the check would cost as much as an output
  const double free = io::free_bytes(folder), limit = std::min(free, arguments.disk_limit.value_or(free));
  const double bytes = planned_bytes(scene, arguments.formats);
  if (bytes <= limit) return;
  const std::string allowed = limit < free ? fmt::format("--disk-limit allows {}", byte_count(limit))
                                           : fmt::format("{} are free there", byte_count(free));
  throw scene::SceneError(
      {{scene.name, 0, 0,
        fmt::format("{:.0f} outputs take about {} in {}, and {}; a greater run.output gives fewer outputs",
                    io::planned_outputs(scene.run), byte_count(bytes), folder, allowed)}},
      true);
}

/// Runs a scene and reports the result.
int run_scene(const RunArguments& arguments, const std::string& scene_file, const scene::ReadyScene& ready,
              scene::Scene& scene) {
  for (const std::string& note : scene.notes) print_error(fmt::format("note: {}\n", note));

  std::optional<Writing> writing;
  if (arguments.folder || !arguments.json) {
    const std::string folder = arguments.folder.value_or("results/" + io::file_label(scene.name));
    check_disk(arguments, scene, folder);
    writing.emplace(folder, arguments, scene, scene_file);
  }

  Progress progress(scene.name, scene.run.t_begin, scene.run.t_end, !arguments.quiet);
  scene.run.cancelled = [&writing] { return Interrupts::signal() != 0 || (writing && writing->failed()); };
  if (!arguments.quiet) scene.run.progress = [&progress](double t) { progress.at(t); };
  const Trajectory trajectory = run(scene, ready, scene.run, [&writing](const Sample& sample) {
    if (writing) writing->add(sample);
  });
  progress.erase();

  if (writing) writing->finish(trajectory);
  const auto files = writing ? writing->files() : std::vector<std::filesystem::path>();
  if (arguments.json) {
    print(io::to_json(scene, trajectory));
  } else if (!arguments.quiet) {
    print(summary(scene, trajectory, files));
  }
  if (!trajectory.summary.note.empty()) print_error(fmt::format("note: {}\n", trajectory.summary.note));
  if (writing) writing->tell_earlier();
  if (!trajectory.summary.message.empty() && trajectory.summary.status != StepStatus::event)
    print_error(fmt::format("torsor: {}\n", trajectory.summary.message));
  if (writing) writing->rethrow();
  return exit_code(trajectory.summary.status, Interrupts::signal());
}

}  // namespace

int run_verb(const RunArguments& arguments) {
  const std::string file = find_scene(arguments.scene);
  scene::Scene scene = scene::load_scene(file, arguments.overrides);
  const scene::ReadyScene ready = prepare(scene);
  scene.notes = notes_before_run(scene, ready);
  const Interrupts interrupts;  // until here a signal ends the program at once
  return run_scene(arguments, file, ready, scene);
}

}  // namespace torsor::cli
