#include "start_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "torsor/model/joint_kind.hpp"
#include "torsor/system/reactions.hpp"
#include "torsor/system/row_levels.hpp"

namespace torsor::scene {
namespace {

using Item = Constraints::Item;
using Row = Constraints::Row;

std::string law_name(const Constraint& constraint) {
  constexpr std::array<const char*, 10> names{
      "distance",          "point on line",     "point on plane", "point driver", "constant angle",
      "constant velocity", "joint coordinates", "velocity law",   "rolling",      "user's rows"};
  return names[constraint.law.index()];
}

std::string unit_name(Row::Kind kind) {
  return kind == Row::Kind::force ? "force" : kind == Row::Kind::torque ? "torque" : "mixed";
}

/// The columns of `torsor check` for one row after its name: multiplier, level, time, rank.
std::vector<std::string> traits(const Row& row, RowLevel level, bool gives_way, bool redundant) {
  return {unit_name(row.kind), to_string(level) + std::string(gives_way ? ", gives way to friction" : ""),
          row.rheonomic ? "of t" : "", redundant && !gives_way ? "redundant" : ""};
}

/// Adds one line for each sequence of rows of an item with the same traits.
void list(const Item& item, const std::string& kind, const Constraints& constraints, bool viscous,
          const char* redundant, const std::vector<RowLevel>& level,
          std::vector<std::vector<std::string>>& table) {
  for (int first = 0, next; first < item.rows; first = next) {
    const auto like = [&](int row) {
      const Row& one = constraints.rows()[item.row_begin + row];
      return traits(one, level[item.row_begin + row], viscous && !one.holonomic, redundant[row] != 0);
    };
    std::string rows = constraints.rows()[item.row_begin + first].what;
    for (next = first + 1; next < item.rows && like(next) == like(first); ++next)
      rows += ", " + constraints.rows()[item.row_begin + next].what;
    table.push_back({item.name, kind, rows});
    for (const std::string& trait : like(first)) table.back().push_back(trait);
  }
}

}  // namespace

std::string first_of(std::vector<std::string> names) {
  constexpr std::size_t most = 8;
  const bool more = names.size() > most;
  if (more) names.resize(most);
  return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

StartRows start_rows(const Scene& scene, const ReadyModel& ready, bool with_table) {
  StartRows all;
  all.velocities = ready.model.nv();
  if (!ready.model.constrained()) return all;
  const Mechanism& mechanism = scene.mechanism;
  const MechanismSystem system(ready.model, LinkLengths(ready.model, ready.start.q));
  const std::vector<char> redundant = redundant_rows(system, scene.run.t_begin, ready.start.q);
  std::vector<RowLevel> level;
  if (with_table) level = row_levels(system, scene.run.t_begin, ready.start.q);
  const bool viscous =
      scene.run.constraints == Treatment::viscous && scene.run.treatment.reduced_order.value_or(1) > 0;
  const char* redundant_of = redundant.data();  // the rows of the item
  if (with_table) all.table = {{"constraint", "kind", "rows", "multiplier", "level", "time", "rank"}};
  for (const Item& item : system.constraints().items()) {
    if (item.tree) continue;
    const std::string kind = item.joint >= 0 ? std::string(joint_type(mechanism.joints[item.joint].kind).name)
                                             : law_name(mechanism.constraints[item.constraint]);
    if (with_table) list(item, kind, system.constraints(), viscous, redundant_of, level, all.table);
    int redundant_here = 0;
    for (int row = 0; row < item.rows; ++row) {
      if (viscous && !system.constraints().rows()[item.row_begin + row].holonomic) continue;
      ++all.rows;
      redundant_here += redundant_of[row] != 0;
    }
    if (redundant_here > 0) all.redundant_names.push_back(item.name);
    all.redundant += redundant_here;
    redundant_of += item.rows;
  }
  return all;
}

/// A row is redundant if its part outside the span of the rows before it is rounding, with velocities in
/// units in which the masses are 1.
StartRows start_rows(const Scene& scene, const ReadyCoordinates& ready) {
  constexpr double dependent = 1e-10;
  const SystemInCoordinates& system = *ready.system;
  const int n = system.size();
  Vec scale(n), column(n);
  for (int j = 0; j < n; ++j) {
    system.metric_times(scene.run.t_begin, ready.start.q, Vec::Unit(n, j), column);
    const double mass = std::abs(column[j]);
    scale[j] = mass > 0 ? 1 / std::sqrt(mass) : 1;
  }
  const Eigen::MatrixXd A = system.all_rows(scene.run.t_begin, ready.start.q);
  StartRows all;
  all.velocities = n;
  std::vector<Vec> span;  // orthonormal
  for (all.rows = 0; all.rows < system.rows(); ++all.rows) {
    Vec row = A.row(all.rows).head(n).transpose().cwiseProduct(scale);
    const double least = dependent * row.norm();
    for (int pass = 0; pass < 2; ++pass)
      for (const Vec& other : span) row -= other.dot(row) * other;
    if (row.norm() <= least)
      all.redundant_names.push_back(scene.in_coordinates->constraints[static_cast<std::size_t>(all.rows)]);
    else
      span.push_back(row.normalized());
  }
  all.redundant = static_cast<int>(all.redundant_names.size());
  return all;
}

std::string redundancy_note(const StartRows& rows) {
  if (rows.redundant == 0) return {};
  return fmt::format(
      "{} of the {} constraint rows depend{} on the others (in {}) at the start; reactions that are not "
      "unique are those of least norm",
      rows.redundant, rows.rows, rows.redundant == 1 ? "s" : "", first_of(rows.redundant_names));
}

namespace {

/// Empty if the run cannot begin, such as where the rows contradict each other in the accelerations at the
/// start: the run reports this error.
template <class Ready>
std::string note_of_rows(const Scene& scene, const ReadyScene& ready, const Ready& one) try {
  const StartRows rows = start_rows(scene, one);
  if (rows.redundant == 0) return {};
  const StepStatus start = run_at_start(scene, ready).summary.status;
  if (start != StepStatus::reached_end && start != StepStatus::energy_lost) return {};
  return redundancy_note(rows);
} catch (const EvaluationError&) {
  return {};
} catch (const std::invalid_argument&) {
  return {};
}

}  // namespace

std::vector<std::string> notes_before_run(const Scene& scene, const ReadyScene& ready) {
  std::vector<std::string> all = scene.notes;
  const auto add = [&](const auto& one) {
    all.insert(all.end(), one.notes.begin(), one.notes.end());
    if (std::string note = note_of_rows(scene, ready, one); !note.empty()) all.push_back(std::move(note));
  };
  std::visit(add, ready);
  return all;
}

std::string shared_text(const Scene& scene, const Trajectory& trajectory) {
  const auto names = shared_reactions(scene.mechanism, trajectory);
  return names.empty() ? "" : "reactions of " + first_of(names) + ": not unique, those of least norm";
}

}  // namespace torsor::scene
