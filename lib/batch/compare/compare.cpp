#include "torsor/batch/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include "batch/layout.hpp"
#include "batch/table.hpp"
#include "compare_parts.hpp"
#include "io/motion_kind.hpp"
#include "io/result.hpp"
#include "scene/start_rows.hpp"
#include "torsor/batch/batch.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::batch {

namespace {
/// Number of evenly spaced times at which the cases keep residuals. The greatest of them is compared.
constexpr int residual_samples = 40;
/// A method is measured by errors above this multiple of the floor, which are known to a thirtieth.
constexpr double measurable = 30;

std::string quoted(const std::string& text) { return '"' + text + '"'; }

Value value_of(const std::string& text) { return {quoted(text), {text}}; }
Value value_of(double number) { return {fmt::format("{}", number), {number}}; }

/// A key that combinations set, and the member that has its value.
struct Key {
  const char* path;
  std::string Combination::*member;
};
std::vector<Key> keys_of(const Combination& combination) {
  return {
      {"integrator.method", &Combination::method},
      {"integrator.group", &Combination::group},
      {"integrator.formulation", &Combination::formulation},
      {combination.in_coordinates ? "chart.connection" : "integrator.connection", &Combination::connection},
      {"integrator.constraints", &Combination::constraints}};
}

Study study_of(const scene::SceneSource& source, const std::vector<Combination>& combinations,
               const std::vector<double>& controls, bool by_step, const std::vector<double>& times) {
  Study study{.name = "compare",
              .title = "",
              .text = "",
              .scene = source,
              .axes = {static_cast<long>(combinations.size()), static_cast<long>(controls.size())},
              .parameters = {},
              .keep = {}};
  for (const Key& key : keys_of(combinations.front())) {
    ValueList list;
    for (const Combination& one : combinations) list.values.push_back(value_of(one.*key.member));
    if (!(combinations.front().*key.member).empty())
      study.parameters.push_back({.key = key.path, .unit = "", .law = std::move(list), .axis = 0});
  }
  ValueList list;
  for (const double control : controls) list.values.push_back(value_of(control));
  study.parameters.push_back({.key = by_step ? "integrator.step" : "integrator.tolerance",
                              .unit = "",
                              .law = std::move(list),
                              .axis = 1});
  study.keep.final = study.keep.invariants = study.keep.statistics = false;
  study.keep.columns = {"position_residual", "velocity_residual"};
  study.keep.times = times;
  for (const Parameter& parameter : study.parameters) study.text += parameter.key + "\n";
  return study;
}

/// The methods that are compared with one connection.
std::vector<std::string> methods_with(const std::string& connection, const CompareOptions& options,
                                      const scene::Scene& scene) {
  if (!options.methods.empty()) return options.methods;
  std::optional<StepConnection> wanted;
  if (!scene.in_coordinates) wanted = find_step_connection(connection);
  const MethodInfo* own = find_method(scene.run.method);
  if (!wanted || !own || own->follows(*wanted)) return {scene.run.method};
  return {std::string(first_method_along(*wanted).name)};
}

/// Every combination of the lists; an empty list leaves the setting of the scene.
std::vector<Combination> combinations_of(const CompareOptions& options, const scene::Scene& scene) {
  const auto or_scene = [](std::vector<std::string> list, const std::string& own) {
    return list.empty() ? std::vector{own} : list;
  };
  std::vector<Combination> all;
  const auto add = [&](Combination made) {
    made.label = made.method, made.in_coordinates = scene.in_coordinates.has_value();
    if (options.groups.size() > 1) made.label += ", " + made.group;
    if (options.formulations.size() > 1) made.label += ", " + made.formulation;
    if (options.connections.size() > 1) made.label += ", " + made.connection;
    if (options.constraints.size() > 1) made.label += ", " + made.constraints;
    if (const MethodInfo* info = find_method(made.method)) made.order = info->order;
    all.push_back(std::move(made));
  };
  for (const std::string& connection : or_scene(options.connections, ""))
    for (const std::string& method : methods_with(connection, options, scene))
      for (const std::string& group : or_scene(options.groups, ""))
        for (const std::string& formulation : or_scene(options.formulations, ""))
          for (const std::string& constraints : or_scene(options.constraints, ""))
            add({.method = method,
                 .group = group,
                 .formulation = formulation,
                 .connection = connection,
                 .constraints = constraints,
                 .refused = "",
                 .label = ""});
  return all;
}

std::string why_refused(const scene::SceneSource& source, const Combination& one, double control,
                        bool by_step) try {
  first_case(study_of(source, {one}, {control}, by_step, {}));
  return {};
} catch (const scene::SceneError& error) {
  return error.diagnostics.front().message;
}

/// The cells of a table, its head first, without comments.
std::vector<std::vector<std::string>> parsed(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    rows.emplace_back(1);
    for (const char c : line)
      if (c == ',')
        rows.back().emplace_back();
      else
        rows.back().back() += c;
  }
  return rows;
}

/// The number in a cell, in every locale, also one below the normal range; NaN if the cell is empty.
double number(const std::string& cell) {
  double x = std::nan("");
  std::from_chars(cell.data(), cell.data() + cell.size(), x);
  return x;
}

/// The greatest absolute value in every second cell from `first` on. An empty cell has no value. The result
/// is NaN if no cell has a value, and infinite if a value is not finite.
double greatest_residual(const std::vector<std::string>& row, std::size_t first) {
  std::optional<double> greatest;
  for (std::size_t i = first; i < row.size(); i += 2)
    if (!row[i].empty()) greatest = max_or_nan(greatest.value_or(0), std::abs(number(row[i])));
  if (!greatest) return std::nan("");
  return std::isfinite(*greatest) ? *greatest : std::numeric_limits<double>::infinity();
}

/// Reads the runs from the table of the batch, without their errors and computing times.
std::vector<ComparedRun> read_runs(const std::filesystem::path& folder, const std::vector<double>& controls,
                                   const std::vector<double>& times, const Reference& reference) {
  std::vector<std::string> columns = {"case",        "status",        "message", "energy_max_drift",
                                      "evaluations", "steps_accepted"};
  const std::size_t own = columns.size();
  for (const double t : times)
    for (const char* residual : {"position_residual", "velocity_residual"})
      columns.push_back(fmt::format("{}@{}", residual, t));
  std::string csv;
  read_table(folder, {"", columns, false}, [&](std::string_view piece) { csv += piece; });
  std::vector<ComparedRun> runs;
  const auto rows = parsed(csv);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const auto& row = rows[r];
    const auto k = static_cast<std::size_t>(std::stoll(row[0]));
    ComparedRun one;
    one.combination = k / controls.size();
    one.control = controls[k % controls.size()];
    one.status = row[1], one.message = row[2];
    if (one.good() && one.status != reference.status)
      one.message = fmt::format("the run ends with {}, the reference with {}", one.status, reference.status),
      one.status = "other-end";
    if (one.good()) {
      one.drift = number(row[3]), one.evaluations = number(row[4]), one.steps = number(row[5]);
      one.position_residual = greatest_residual(row, own);
      one.velocity_residual = greatest_residual(row, own + 1);
    }
    runs.push_back(std::move(one));
  }
  return runs;
}

/// Repeats the runs one after the other in one thread, for the errors at their ends and for processor times:
/// the least of up to three for short runs.
void measure(const scene::SceneSource& source, const std::vector<Combination>& combinations,
             const ReferencePlaces& reference, const CompareOptions& options, Comparison& result) {
  constexpr double enough = 0.2;  // s: interruptions by other processes are a small part of longer runs
  const int components = io::motion_kind(source.scene()).position_components;
  for (ComparedRun& run : result.runs) {
    if (options.progress)
      options.progress("measuring CPU times", static_cast<double>(&run - result.runs.data()) /
                                                  static_cast<double>(result.runs.size()));
    if (!run.good()) continue;
    scene::Overrides overrides = overrides_of(combinations[run.combination]);
    overrides.emplace_back(result.by_step ? "integrator.step" : "integrator.tolerance",
                           fmt::format("{}", run.control));
    double all = 0;
    for (int repeat = 0; repeat < 3 && all < enough; ++repeat) {
      const Finish end = run_to_end(source, overrides, options.case_wall_limit, options.cancelled);
      if (options.cancelled && options.cancelled()) return;
      if (end.status != run.status) {
        run = {.combination = run.combination,
               .control = run.control,
               .status = end.status,
               .message = end.message};
        break;
      }
      run.cpu_s = repeat == 0 ? end.cpu_s : std::min(run.cpu_s, end.cpu_s);
      run.evaluations = end.evaluations, run.steps = end.steps;
      run.error = distance(end.places, reference.places, components);
      run.attitude_error = angle(end.attitudes, reference.attitudes);
      run.end_time_error = std::abs(end.t - reference.t);
      all += end.cpu_s;
    }
  }
}

/// Whether constraints and drivers leave a scene no degree of freedom at its start.
bool is_determined(const scene::Scene& scene) try {
  return std::visit([&](const auto& ready) { return start_rows(scene, ready).freedoms() == 0; },
                    prepare(scene));
} catch (const EvaluationError&) {
  return false;  // the rows cannot be evaluated at the start
}

/// If every position is as near the reference as can be measured, compares the errors of another quantity:
/// those of the work, if no degree of freedom remains, or else those of the attitudes or of the time at which
/// the runs end.
void choose_errors(const scene::Scene& scene, const ReferencePlaces& reference, Comparison& result) {
  const auto exceeded = [&result](double ComparedRun::*error, double least) {
    return std::any_of(result.runs.begin(), result.runs.end(),
                       [&](const ComparedRun& run) { return run.good() && !(run.*error <= least); });
  };
  if (exceeded(&ComparedRun::error, measurable * result.floor())) return;
  const auto compare_by = [&](Compared compared, const char* unit, double size, double own_error,
                              double ComparedRun::*error) {
    result.compared = compared, result.unit = unit;
    result.reference.size = size, result.reference.own_error = own_error;
    for (ComparedRun& run : result.runs) run.error = run.*error;
    return exceeded(error, measurable * result.floor());
  };
  const Comparison by_positions = result;
  if (is_determined(scene)) {
    constexpr double rounding = 1e-9;  // relative error of energy minus work after thousands of steps
    if (!exceeded(&ComparedRun::drift, rounding * reference.energy)) return;
    compare_by(Compared::work, "J", reference.energy, 0, &ComparedRun::drift);
    result.reference.estimated = false;
  } else if (!compare_by(Compared::attitudes, "rad", 1, reference.attitude_error,
                         &ComparedRun::attitude_error) &&
             !compare_by(Compared::end_time, "s", reference.t - scene.run.t_begin, reference.end_time_error,
                         &ComparedRun::end_time_error)) {
    result = by_positions;
  }
}

/// Runs the cases of a comparison. Returns their folder.
std::filesystem::path run_cases(const Study& study, const CompareOptions& options) {
  BatchOptions batch;
  batch.folder = fresh_cases(options.folder);
  batch.threads = options.threads;
  batch.case_wall_limit = options.case_wall_limit;
  batch.cancelled = options.cancelled;
  if (options.progress)
    batch.progress = [&options](const BatchState& state) {
      options.progress(
          fmt::format("{} runs", state.cases),
          static_cast<double>(state.done) / static_cast<double>(std::max<std::int64_t>(state.cases, 1)));
    };
  run_batch(study, batch);
  return batch.folder;
}

/// An empty name would stand for the setting of the scene, under a label that does not say so.
void refuse_empty_names(const CompareOptions& options) {
  for (const auto* list :
       {&options.methods, &options.groups, &options.formulations, &options.connections, &options.constraints})
    if (std::find(list->begin(), list->end(), "") != list->end())
      throw std::invalid_argument(
          "a method, group, formulation, connection or treatment of constraints to compare has an empty "
          "name");
}

}  // namespace

bool ComparedRun::noted() const { return batch::noted(message); }

scene::Overrides overrides_of(const Combination& combination) {
  scene::Overrides all;
  for (const Key& key : keys_of(combination))
    if (!(combination.*key.member).empty()) all.emplace_back(key.path, quoted(combination.*key.member));
  return all;
}

Comparison compare(const scene::SceneSource& source, const CompareOptions& options) {
  refuse_empty_names(options);
  if (!options.steps.empty() && !options.tolerances.empty())
    throw std::invalid_argument("a comparison has steps or tolerances, not both");
  const scene::Scene scene = source.scene();
  refuse_other_batch(options.folder / "cases");
  Comparison result;
  result.scene = scene.name, result.title = scene.title, result.t_end = scene.run.t_end;
  result.in_coordinates = io::motion_kind(scene).in_coordinates;
  result.unit = io::motion_kind(scene).position_unit;
  result.by_step = options.tolerances.empty();
  const ReferencePlaces reference = options.reference == "self" ? make_reference(source, options)
                                                                : read_reference(scene, options.reference);
  result.reference = reference.reference;
  std::vector<double> controls = result.by_step ? options.steps : options.tolerances;
  if (controls.empty()) controls = chosen_steps(source, scene, options);

  result.combinations = combinations_of(options, scene);
  std::vector<Combination> taken;
  std::vector<std::size_t> place;
  for (std::size_t i = 0; i < result.combinations.size(); ++i) {
    Combination& one = result.combinations[i];
    if (!one.group.empty()) one.refused = why_other_motion(source, one.group);
    if (one.refused.empty()) one.refused = why_refused(source, one, controls.front(), result.by_step);
    if (one.refused.empty()) taken.push_back(one), place.push_back(i);
  }
  if (taken.empty())
    throw std::invalid_argument(
        fmt::format("no combination can be run: {}", result.combinations.front().refused));

  std::vector<double> times;
  for (int i = 1; i <= residual_samples; ++i)
    times.push_back(scene.run.t_begin + (scene.run.t_end - scene.run.t_begin) * i / residual_samples);
  const io::ResultFolder locked(options.folder);
  const auto folder = run_cases(study_of(source, taken, controls, result.by_step, times), options);
  result.runs = read_runs(folder, controls, times, reference.reference);
  measure(source, taken, reference, options, result);
  choose_errors(scene, reference, result);
  for (ComparedRun& run : result.runs) run.combination = place[run.combination];
  if (options.progress) options.progress("done", 1);
  if (options.done) options.done(result);
  return result;
}

std::string Comparison::about_reference() const {
  std::string text = fmt::format("Reference: {}.", reference.how);
  if (reference.estimated)
    text += fmt::format(" Its own error is about {:.1g}{}{}.", reference.own_error, unit.empty() ? "" : " ",
                        unit);
  if (!error_known()) text += " Its own error is not known, so no order is observed.";
  return text;
}

std::string Comparison::about_errors() const {
  switch (compared) {
    case Compared::positions:
      break;
    case Compared::attitudes:
      return "No final position differs measurably from the reference. The error of a run is that of the "
             "attitudes: the root mean square of their angles from the reference.";
    case Compared::end_time:
      return "The event that ends the runs fixes where they end. The error of a run is that of the time at "
             "which it ends.";
    case Compared::work:
      return "Constraints and drivers determine the motion, so every position is right to rounding. "
             "The error of a run is that of the work: the greatest drift of energy minus work.";
  }
  return {};
}

double Comparison::floor() const {
  constexpr double rounding = 1e-13;  // of the positions, after thousands of steps
  return std::max(reference.own_error, rounding * reference.size);
}

/// The number of steps stands for the mean step size, since samples, kinks and events shorten steps.
std::optional<double> Comparison::observed_order(std::size_t combination) const {
  if (!error_known() || !by_step) return std::nullopt;
  std::vector<std::pair<double, double>> points;
  for (const ComparedRun& run : runs)
    if (run.combination == combination && run.good() && run.error > measurable * floor() &&
        run.error < reference.size / 20)
      points.emplace_back(-std::log(run.steps), std::log(run.error));
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() > 3) points.resize(3);  // the finest are nearest to the limit
  if (points.size() < 2) return std::nullopt;
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [a, b] : points) x += a, y += b;
  const auto n = static_cast<double>(points.size());
  for (const auto& [a, b] : points) xx += (a - x / n) * (a - x / n), xy += (a - x / n) * (b - y / n);
  if (!(xx > 0)) return std::nullopt;
  return xy / xx;
}

}  // namespace torsor::batch
