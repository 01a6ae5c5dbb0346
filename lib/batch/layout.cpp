#include "layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "io/motion_kind.hpp"
#include "io/result.hpp"
#include "io/result_plan.hpp"
#include "io/tables/columns.hpp"
#include "scene/overrides.hpp"

namespace torsor::batch {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// Whether keep.final keeps a column: the time and each body's position, attitude and velocities, or
/// the coordinates and velocities of a system in coordinates.
bool of_state(std::string_view column) {
  const std::string_view label = column.substr(column.rfind('.') + 1);
  if (column == "t" || column.starts_with("quasi_velocity.")) return true;
  if (column.starts_with("coordinate.")) return label != "acceleration";
  if (!column.starts_with("body.")) return false;
  return label.size() <= 2 || label.starts_with("v_") || label.starts_with("Omega_");
}

/// Whether keep.invariants keeps a column: energies, work, momenta and residuals. Their names have no dots,
/// since they belong to no body, joint or coordinate.
bool of_invariants(std::string_view column) {
  return column != "t" && column.find('.') == std::string_view::npos;
}

/// The column of this name; a column without a unit if there is none.
io::Column column_of(const std::string& name, const std::vector<io::Column>& columns) {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const io::Column& one) { return one.name == name; });
  return found == columns.end() ? io::Column{name, ""} : *found;
}

/// The columns that are kept of the last sample.
std::vector<io::Column> at_end(const Study& study, const std::vector<io::Column>& columns) {
  const Keep& keep = study.keep;
  std::vector<io::Column> all;
  for (const io::Column& column : columns)
    if ((keep.final && of_state(column.name)) || (keep.invariants && of_invariants(column.name)))
      all.push_back(column);
  if (keep.times.empty())
    for (const std::string& name : keep.columns)
      if (const io::Column column = column_of(name, columns);
          std::find(all.begin(), all.end(), column) == all.end())
        all.push_back(column);
  return all;
}

std::vector<int> places(const std::vector<std::string>& wanted, const std::vector<io::Column>& columns) {
  std::unordered_map<std::string_view, int> place;
  for (std::size_t i = 0; i < columns.size(); ++i) place.try_emplace(columns[i].name, static_cast<int>(i));
  std::vector<int> all;
  for (const std::string& name : wanted) {
    const auto found = place.find(name);
    all.push_back(found == place.end() ? -1 : found->second);
  }
  return all;
}

std::vector<std::string> event_names(const scene::Scene& scene) {
  std::vector<std::string> names;
  for (const Event& event : scene.run.events) names.push_back(event.name);
  for (const EventSpec& event : scene.events) names.push_back(event.name);
  return names;
}

/// Times that differ by no more than this count as equal, s.
double time_rounding(double t) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(1., std::abs(t));
}

/// The unit of a parameter's numbers: its own, or else the unit that the schema states for its key. Empty if
/// the cells are texts, since a text such as "30 deg" has its unit with it.
std::string unit_of(const Parameter& parameter, const scene::Scene& scene) {
  if (!parameter.unit.empty()) return parameter.unit;
  if (const auto* list = std::get_if<ValueList>(&parameter.law))
    for (const Value& value : list->values)
      for (const Cell& cell : value.cells)
        if (!std::holds_alternative<double>(cell)) return {};
  return scene::unit_of(scene, parameter.key);
}

Cell number(long count) { return static_cast<double>(count); }

/// The columns of a layout as messages name them, and "missing" at the end, so that a layout differs from
/// every longer one.
std::vector<std::string> described(const Layout& layout) {
  std::vector<std::string> all;
  const auto add = [&all](const char* part, const std::vector<io::Column>& columns) {
    for (const auto& [name, unit] : columns)
      all.push_back(
          fmt::format("{} \"{}\"{}", part, name, unit.empty() ? "" : fmt::format(" in \"{}\"", unit)));
  };
  add("the parameter", layout.parameters);
  add("the result", layout.results);
  all.emplace_back("missing");
  return all;
}

}  // namespace

std::vector<std::string> names_of(const std::vector<io::Column>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const io::Column& column : columns) names.push_back(column.name);
  return names;
}

FirstCase first_case(const Study& study) {
  const scene::Overrides overrides = study.overrides(study.values(0));
  FirstCase first{study.scene.checked_scene(overrides), {}, {}, {}, 0, {}};
  try {
    first.columns = io::columns_of(first.scene);
    first.at_end = at_end(study, first.columns);
    first.picks = {places(names_of(first.at_end), first.columns), places(study.keep.columns, first.columns)};
  } catch (const std::invalid_argument& error) {
    throw scene::SceneError({{study.scene.file(), 0, 0, error.what()}});
  }
  const double outputs = io::planned_outputs(first.scene.run);
  if (outputs > 0) first.samples = outputs + static_cast<double>(study.keep.times.size());
  return first;
}

FirstCase first_case_with_reference(const Study& study, const std::function<bool()>& cancelled) {
  FirstCase first = first_case(study);
  if (study.keep.reference.empty()) return first;
  try {
    first.reference =
        run_to_end(study.scene, study.keep.reference, std::numeric_limits<double>::infinity(), cancelled);
  } catch (const std::invalid_argument& error) {
    throw scene::SceneError({{study.scene.file(), 0, 0, fmt::format("the reference run: {}", error.what())}});
  }
  const Finish& end = *first.reference;
  if (end.status != to_string(StepStatus::reached_end) && end.status != to_string(StepStatus::event))
    throw scene::SceneError({{study.scene.file(), 0, 0,
                              fmt::format("the reference run ended as {}: {}", end.status, end.message)}});
  return first;
}

Layout layout(const Study& study, const FirstCase& first) {
  Layout all;
  for (const Parameter& parameter : study.parameters)
    for (std::string& name : parameter.columns())
      all.parameters.push_back({std::move(name), unit_of(parameter, first.scene)});
  all.results = first.at_end;
  all.results.insert(
      all.results.end(),
      {{"energy_max_drift", "J"}, {"steps_accepted", "1"}, {"steps_rejected", "1"}, {"evaluations", "1"}});
  if (!study.keep.reference.empty())
    all.results.push_back({"error", std::string(io::motion_kind(first.scene).position_unit)});
  for (const double t : study.keep.times)
    for (const std::string& column : study.keep.columns)
      all.results.push_back({fmt::format("{}@{}", column, t), column_of(column, first.columns).unit});
  if (study.keep.events)
    for (const std::string& name : event_names(first.scene)) {
      all.results.push_back({fmt::format("event.{}.count", name), "1"});
      all.results.push_back({fmt::format("event.{}.times", name), "s"});
    }
  return all;
}

std::string difference(const Layout& then, const Layout& now) {
  const std::vector<std::string> old = described(then), all = described(now);
  const auto [was, is] = std::mismatch(old.begin(), old.end(), all.begin(), all.end());
  return was == old.end() ? "" : fmt::format("a column of its table was {} and is {}", *was, *is);
}

Gather::Gather(const Study& study, const scene::Scene& scene, const FirstCase& first)
    : study_(study),
      scene_(scene),
      first_(first),
      timed_(study.keep.times.size() * study.keep.columns.size(), Cell(blank)) {}

const Picks& Gather::picks(const Sample& sample) {
  if (picks_) return *picks_;
  if (io::has_columns(scene_, sample, first_.columns)) return *(picks_ = &first_.picks);
  const std::vector<io::Column> columns = io::columns_of(scene_, sample);
  own_picks_ = {places(names_of(first_.at_end), columns), places(study_.keep.columns, columns)};
  return *(picks_ = &own_picks_);
}

void Gather::put(const Sample& sample, const std::vector<int>& picked, Cell* out) {
  io::column_values(scene_, sample, values_);
  for (const int place : picked) *out++ = place < 0 ? blank : values_[static_cast<std::size_t>(place)];
}

double Gather::near(double t) const {
  return time_rounding(std::max(std::abs(scene_.run.t_begin), std::abs(t)));
}

bool Gather::reads(double t) const {
  const std::vector<double>& times = study_.keep.times;
  const auto next = std::find_if(times.begin() + static_cast<std::ptrdiff_t>(next_time_), times.end(),
                                 [&](double one) { return t <= one + near(one); });
  return study_.keep.trajectories || (next != times.end() && t >= *next - near(*next));
}

void Gather::sample(const Sample& sample) {
  for (; next_time_ < study_.keep.times.size(); ++next_time_) {
    const double t = study_.keep.times[next_time_];
    if (sample.t < t - near(t)) return;
    if (sample.t <= t + near(t))  // otherwise the case began after t
      put(sample, picks(sample).timed, timed_.data() + next_time_ * study_.keep.columns.size());
  }
}

double Gather::error_of(const Sample& last) const {
  const io::MotionKind& kind = io::motion_kind(scene_);
  const Places places = kind.positions(last);
  const Finish& reference = *first_.reference;
  if (places.size() != reference.places.size() || !(std::abs(last.t - reference.t) <= time_rounding(last.t)))
    return blank;
  return distance(places, reference.places, kind.position_components);
}

std::vector<Cell> Gather::finish(const Trajectory& trajectory) {
  const Sample& last = trajectory.samples.back();
  std::vector<Cell> cells(first_.at_end.size());
  put(last, picks(last).at_end, cells.data());
  const RunSummary& summary = trajectory.summary;
  cells.insert(cells.end(), {trajectory.energy_max_drift, number(summary.accepted), number(summary.rejected),
                             number(summary.evaluations)});
  if (first_.reference) cells.push_back(error_of(last));
  cells.insert(cells.end(), timed_.begin(), timed_.end());
  if (!study_.keep.events) return cells;
  for (const std::string& name : event_names(first_.scene)) {
    std::string times;
    long count = 0;
    for (const EventRecord& record : summary.events)
      if (io::event_name(scene_, record) == name)
        times += fmt::format("{}{}", count++ == 0 ? "" : " ", record.t);
    cells.insert(cells.end(), {number(count), times});
  }
  return cells;
}

}  // namespace torsor::batch
