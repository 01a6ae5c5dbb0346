#include <fmt/format.h>

#include <cmath>

#include "coordinates.hpp"
#include "exit_code.hpp"
#include "process.hpp"
#include "scene/geometry_at.hpp"
#include "scene_files.hpp"
#include "torsor/io/results.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

/// Runs to the requested time and prints the report there.
int report_at(const GeometryArguments& arguments, const scene::Scene& scene, const scene::ReadyScene& ready) {
  SimulationOptions options = options_to(scene, arguments.at.value_or(scene.run.t_begin));
  if (!(options.t_end >= options.t_begin) || !std::isfinite(options.t_end)) {
    print_error(fmt::format("torsor: error: --at {} is before the start of the scene, t = {} s\n",
                            options.t_end, options.t_begin));
    return usage;
  }
  options.cancelled = [] { return Interrupts::signal() != 0; };
  const RunSummary end = run(scene, ready, options, [](const Sample&) {}).summary;
  if (!end.message.empty() && end.status != StepStatus::event)
    print_error(fmt::format("torsor: {}\n", end.message));
  if (const int code = exit_code(end.status, Interrupts::signal()); code != success) return code;
  if (end.status == StepStatus::event)
    print_error(fmt::format("note: an event ends the run at t = {} s\n", end.t));
  const auto text = [&](const auto& report) {
    return arguments.json ? io::to_json(scene, report) : geometry_text(scene, report);
  };
  try {
    print(std::visit(text, geometry_at(scene, ready, end, options)));
  } catch (const EvaluationError& error) {
    print_error(fmt::format("torsor: {}\n", error.what()));
    return exit_code(error.status, 0);
  }
  return success;
}

}  // namespace

int geometry_verb(const GeometryArguments& arguments) {
  const Interrupts interrupts;
  const scene::Scene scene = scene::load_scene(find_scene(arguments.scene), arguments.overrides);
  const auto print_notes = [](const std::vector<std::string>& notes) {
    for (const std::string& note : notes) print_error(fmt::format("note: {}\n", note));
  };
  print_notes(scene.notes);
  const scene::ReadyScene ready = prepare(scene);
  std::visit([&](const auto& one) { print_notes(one.notes); }, ready);
  return report_at(arguments, scene, ready);
}

}  // namespace torsor::cli
