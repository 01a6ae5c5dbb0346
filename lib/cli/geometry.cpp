#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "coordinates.hpp"
#include "exit_code.hpp"
#include "process.hpp"
#include "run/did_you_mean.hpp"
#include "scene/geometry_at.hpp"
#include "scene_files.hpp"
#include "torsor/io/results.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

/// A vector by its components "name=value"; the others are 0. Empty if none is given.
Vec components_of(const std::vector<std::string>& given, const char* option,
                  const std::vector<std::string>& names) {
  Vec vector = Vec::Zero(given.empty() ? 0 : static_cast<Eigen::Index>(names.size()));
  std::set<std::string> named;
  for (const std::string& text : given) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals),
                      value = equals == text.npos ? "" : text.substr(equals + 1);
    double x = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), x);
    if (problem != std::errc() || end != value.data() + value.size() || !std::isfinite(x))
      throw CLI::ValidationError(option, fmt::format("expected name=number, got \"{}\"", text));
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end())
      throw CLI::ValidationError(option, fmt::format("the frame has no vector \"{}\"{}", name,
                                                     did_you_mean(name, {names.begin(), names.end()})));
    if (!named.insert(name).second)
      throw CLI::ValidationError(option, fmt::format("\"{}\" is given twice", name));
    vector[place - names.begin()] = x;
  }
  return vector;
}

/// Reports --follow for a scene without a metric of coordinates.
void require_metric(const GeometryArguments& arguments, bool has_metric) {
  if (arguments.follow && !has_metric)
    throw CLI::ValidationError("--follow", "curves need a scene with [chart] that has a metric");
}

std::optional<CoordinateCurves> curves_at(const GeometryArguments& arguments, const scene::Scene& scene,
                                          const RunSummary& end) {
  if (!arguments.follow) return std::nullopt;
  const std::vector<std::string>& frame = scene.in_coordinates->frame;
  CurveRequest request{*arguments.follow, components_of(arguments.direction, "--direction", frame),
                       components_of(arguments.carry, "--transport", frame)};
  request.cancelled = [] { return Interrupts::signal() != 0; };
  CoordinateCurves curves = coordinate_curves(scene, end.t, end.x, request);
  const auto note_end = [&](const std::string& what, std::size_t accurate) {
    if (accurate < curves.t.size())
      print_error(
          fmt::format("note: {} has no accurate values after t = {} s: the coordinates become singular, "
                      "or the time of --follow is too long\n",
                      what, curves.t[std::max<std::size_t>(accurate, 1) - 1]));
  };
  for (const Autoparallel& one : curves.autoparallels)
    note_end("the autoparallel of " + one.connection, accurate_outputs(one));
  for (const Transport& one : curves.along_motion) {
    const auto none =
        std::find_if(one.length.begin(), one.length.end(), [](double x) { return !std::isfinite(x); });
    note_end("transport by " + one.connection + " along the motion",
             static_cast<std::size_t>(none - one.length.begin()));
  }
  if (arguments.curves)
    io::write_curves(*arguments.curves, scene, curves,
                     {.force = arguments.force, .inputs = {find_scene(arguments.scene)}});
  return curves;
}

std::string told(const GeometryArguments& arguments, const scene::Scene& scene, const GeometryReport& report,
                 const RunSummary&) {
  require_metric(arguments, false);
  return arguments.json ? io::to_json(scene, report) : geometry_text(scene, report);
}
std::string told(const GeometryArguments& arguments, const scene::Scene& scene,
                 const CoordinateReport& report, const RunSummary& end) {
  require_metric(arguments, report.has_metric);
  const std::optional<CoordinateCurves> curves = curves_at(arguments, scene, end);
  return arguments.json ? io::to_json(scene, report, curves)
                        : geometry_text(scene, report) + (curves ? curves_text(scene, *curves) : "");
}

/// The options of a run to the requested time.
SimulationOptions options_at(const GeometryArguments& arguments, const scene::Scene& scene) try {
  return options_to(scene, arguments.at.value_or(scene.run.t_begin));
} catch (const std::invalid_argument& error) {
  throw CLI::ValidationError("--at", error.what());
}

/// Runs to the requested time and prints the report there.
int report_at(const GeometryArguments& arguments, const scene::Scene& scene, const scene::ReadyScene& ready) {
  SimulationOptions options = options_at(arguments, scene);
  options.cancelled = [] { return Interrupts::signal() != 0; };
  const RunSummary end = run(scene, ready, options, [](const Sample&) {}).summary;
  if (!end.message.empty() && end.status != StepStatus::event)
    print_error(fmt::format("torsor: {}\n", end.message));
  if (const int code = exit_code(end.status, Interrupts::signal()); code != success) return code;
  if (end.status == StepStatus::event)
    print_error(fmt::format("note: an event ends the run at t = {} s\n", end.t));
  try {
    print(std::visit([&](const auto& report) { return told(arguments, scene, report, end); },
                     geometry_at(scene, ready, end, options)));
  } catch (const EvaluationError& error) {
    print_error(fmt::format("torsor: {}\n", error.what()));
    return exit_code(error.status, Interrupts::signal());
  }
  return success;
}

}  // namespace

int geometry_verb(const GeometryArguments& arguments) {
  const scene::Scene scene = scene::load_scene(find_scene(arguments.scene), arguments.overrides);
  const auto print_notes = [](const std::vector<std::string>& notes) {
    for (const std::string& note : notes) print_error(fmt::format("note: {}\n", note));
  };
  print_notes(scene.notes);
  const scene::ReadyScene ready = prepare(scene);
  std::visit([&](const auto& one) { print_notes(one.notes); }, ready);
  const Interrupts interrupts;  // until here a signal ends the program at once
  return report_at(arguments, scene, ready);
}

}  // namespace torsor::cli
