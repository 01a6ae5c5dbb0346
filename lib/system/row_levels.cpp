#include "torsor/system/row_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "allowed_directions.hpp"
#include "floating_point.hpp"

namespace torsor {

const char* to_string(RowLevel level) {
  constexpr std::array names{"holonomic", "integrable", "nonholonomic", "velocity"};
  return names[static_cast<std::size_t>(level)];
}

namespace {

enum class Displacement { whole, allowed };

/// q exp(xi), projected onto the constraints at the time `later`, or nothing if the projection fails. If
/// `part` is `allowed`, xi is first reduced to the part that the rows at (t, q) allow.
std::optional<SamplePoint> displaced(const ConstrainedSystem& system, double t, const Vec& q, const Vec& xi,
                                     double later, Displacement part) {
  SamplePoint at{later, Vec(system.nq())};
  try {
    const bool whole = part == Displacement::whole;
    system.retract(q, whole ? xi : mechanics::allowed_part(system, t, q, xi), at.q);
    system.project_position(later, at.q);
  } catch (const EvaluationError&) {  // too far off the constraints
    return std::nullopt;
  }
  return at;
}

}  // namespace

/// Rows that are redundant on the constraints may contradict each other off the constraints, so that the
/// projection fails. Then only the allowed part of the displacement is used: it stays closer to the
/// constraints. The angle of 12.9898 rad is not a rational part of a turn, so no two components of a
/// displacement are equal.
std::vector<SamplePoint> states_around(const ConstrainedSystem& system, double t, const Vec& q, int count) {
  std::vector<SamplePoint> around;
  for (int k = 1; k <= count; ++k) {
    Vec xi(system.nv());
    for (Eigen::Index j = 0; j < xi.size(); ++j)
      xi[j] = 0.2 * sin_cos(12.9898 * static_cast<double>((j + 1) * k)).sin;
    auto at = displaced(system, t, q, xi, t + 0.1 * k, Displacement::whole);
    if (!at) at = displaced(system, t, q, xi, t + 0.1 * k, Displacement::allowed);
    if (at) around.push_back(*std::move(at));
  }
  return around;
}

std::vector<RowLevel> row_levels(const MechanismSystem& system, double t, const Vec& q) {
  const mechanics::DefaultArithmetic arithmetic;
  constexpr int most_velocities = 60, points = 3;
  std::vector<RowLevel> all;
  for (const Constraints::Row& row : system.constraints().rows())
    all.push_back(row.holonomic ? RowLevel::position : RowLevel::velocity);
  const bool as_written = std::find(all.begin(), all.end(), RowLevel::velocity) == all.end();
  if (as_written || system.nv() > most_velocities) return all;
  const std::vector<SamplePoint> around = states_around(system, t, q, points);
  if (around.empty()) return all;
  const auto integrable = integrable_rows(pfaffian_system(system.model(), system.constraints()), around);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == RowLevel::velocity) all[i] = integrable[i] ? RowLevel::integrable : RowLevel::nonholonomic;
  return all;
}

}  // namespace torsor
