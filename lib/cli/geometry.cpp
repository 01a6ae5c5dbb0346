#include <fmt/format.h>

#include <cmath>

#include "chart.hpp"
#include "exit_code.hpp"
#include "process.hpp"
#include "scene_files.hpp"
#include "torsor/io/json.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

/// Runs to the requested time and prints the report there. `integrate` runs with the given options and
/// returns the summary, `report` returns the text at the end of the run.
template <class Integrate, class Report>
int report_at(const GeometryArguments& arguments, const Scene& scene, const Integrate& integrate,
              const Report& report) {
  SimulationOptions options = scene.run;
  options.t_end = arguments.at.value_or(options.t_begin);
  if (!(options.t_end >= options.t_begin) || !std::isfinite(options.t_end)) {
    print_error(fmt::format("torsor: error: --at {} is before the start of the scene, t = {} s\n",
                            options.t_end, options.t_begin));
    return usage;
  }
  options.output_times.clear();
  options.output_step = options.t_end - options.t_begin;
  options.cancelled = [] { return Interrupts::signal() != 0; };
  const RunSummary end = integrate(options);
  if (!end.message.empty() && end.status != StepStatus::event)
    print_error(fmt::format("torsor: {}\n", end.message));
  if (const int code = exit_code(end.status, Interrupts::signal()); code != success) return code;
  if (end.status == StepStatus::event)
    print_error(fmt::format("note: an event ends the run at t = {} s\n", end.t));
  try {
    print(report(end, options));
  } catch (const EvaluationError& error) {
    print_error(fmt::format("torsor: {}\n", error.what()));
    return exit_code(error.status, 0);
  }
  return success;
}

}  // namespace

int geometry_verb(const GeometryArguments& arguments) {
  const Interrupts interrupts;
  const Scene scene = load_scene(find_scene(arguments.scene), arguments.overrides);
  for (const std::string& note : scene.notes) print_error(fmt::format("note: {}\n", note));
  if (scene.chart) {
    const auto chart = make_chart(scene);
    return report_at(
        arguments, scene,
        [&](const SimulationOptions& options) {
          return run(*chart, scene.chart->start, options, scene.chart->events).summary;
        },
        [&](const RunSummary& end, const SimulationOptions&) {
          const ChartReport report = chart_report(scene, end.t, end.x);
          return arguments.json ? to_json(scene, report) : geometry_text(scene, report);
        });
  }
  const ReadyScene ready = make_model(scene);
  for (const std::string& note : ready.notes) print_error(fmt::format("note: {}\n", note));
  const SampleSink forget = [](const Sample&) {};
  return report_at(
      arguments, scene,
      [&](const SimulationOptions& options) {
        return run(ready.model, ready.start, options, scene.points, scene.events, forget).summary;
      },
      [&](const RunSummary& end, const SimulationOptions& options) {
        const GeometryReport report = geometry_report(ready.model, end.t, end.x, options);
        return arguments.json ? to_json(scene, report) : geometry_text(scene, report);
      });
}

}  // namespace torsor::cli
