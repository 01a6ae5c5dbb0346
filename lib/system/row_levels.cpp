#include "torsor/system/row_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "allowed_directions.hpp"
#include "floating_point.hpp"
#include "length_unit.hpp"
#include "model/velocity_units.hpp"

namespace torsor {

const char* to_string(RowLevel level) {
  constexpr std::array names{"holonomic", "integrable", "nonholonomic", "velocity"};
  return names[static_cast<std::size_t>(level)];
}

namespace {

/// Where to go from (t, q): the displacement xi, and the time `later`.
struct Displacement {
  Vec xi;
  double later = 0;
};

/// G(w, w) at a state.
double square(const ConstrainedSystem& system, const SamplePoint& at, const Vec& w) {
  Vec p(system.nv());
  system.metric_times(at.t, at.q, w, p);
  return w.dot(p);
}

/// Whether the metric and the rows can be used at a state, as they can at `start`.
bool usable(const ConstrainedSystem& system, const SamplePoint& start, const SamplePoint& at, const Vec& w) {
  Vec psi(system.rows());
  system.velocity_residual(at.t, at.q, w, psi);
  const double before = square(system, start, w), there = square(system, at, w);
  return psi.allFinite() && std::isfinite(there) && (before > 0) == (there > 0);
}

/// The greatest residual of the rows with phi.
double greatest_phi(const ConstrainedSystem& system, double t, const Vec& q) {
  Vec phi(system.rows());
  system.position_residual(t, q, phi);
  return phi.size() == 0 ? 0 : phi.lpNorm<Eigen::Infinity>();
}

/// The state that is reached from (t, q) along velocities that all rows allow, by 64 steps of Runge and Kutta
/// in the direction of the displacement. It need not be projected: its violation of the constraints must be
/// below 1e-8 of that of the displaced state.
SamplePoint carried(const ConstrainedSystem& system, double t, const Vec& q, const Displacement& to) {
  constexpr int steps = 64;
  constexpr double allowed_violation = 1e-8;
  SamplePoint at{t, q};
  Vec moved(system.nq()), a0(system.rows()), p(system.nv()), y(system.rows());
  const auto velocity = [&](double s, const Vec& from, const Vec& xi) {  // chart: q exp(xi)
    const double now = at.t + s * to.later;
    Vec w(system.nv()), rate(system.nv());
    system.retract(from, xi, moved);
    system.power()->row_offsets(now, moved, a0);
    system.metric_times(now, moved, to.xi, p);
    const Vec right = -to.later * a0;
    system.solve(now, moved, p, right, w, y);
    system.dexp_inv(xi, w, rate);
    return rate;
  };
  constexpr double h = 1. / steps;
  for (int i = 0; i < steps; ++i) {
    const Vec none = Vec::Zero(system.nv());
    const Vec k1 = velocity(0, at.q, none), k2 = velocity(h / 2, at.q, h / 2 * k1),
              k3 = velocity(h / 2, at.q, h / 2 * k2), k4 = velocity(h, at.q, h * k3);
    const Vec xi = h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), from = at.q;
    system.retract(from, xi, at.q);
    at.t += h * to.later;
  }
  system.retract(q, to.xi, moved);
  const double displaced = greatest_phi(system, at.t, moved);
  if (!(greatest_phi(system, at.t, at.q) <= allowed_violation * displaced))
    throw EvaluationError(StepStatus::constraint_lost, "a state nearby violates the constraints");
  return at;
}

enum class Way { whole, allowed, carried };

/// The displaced state on the constraints, or nothing if there is none this way.
std::optional<SamplePoint> state_at(const ConstrainedSystem& system, double t, const Vec& q,
                                    const Displacement& to, Way way) {
  try {
    SamplePoint at{t + to.later, Vec(system.nq())};
    if (way == Way::carried) {
      at = carried(system, t, q, to);
    } else {
      system.retract(q, way == Way::whole ? to.xi : mechanics::allowed_part(system, t, q, to.xi), at.q);
      system.project_position(at.t, at.q);
    }
    if (usable(system, {t, q}, at, to.xi)) return at;
  } catch (const EvaluationError&) {  // too far off the constraints
  }
  return std::nullopt;
}

/// Rows that are redundant on the constraints may contradict each other off the constraints, so that the
/// projection fails. The allowed part of a displacement stays closer to the constraints, and allowed
/// velocities do not leave them.
std::optional<SamplePoint> state_near(const ConstrainedSystem& system, double t, const Vec& q,
                                      Displacement to) {
  constexpr int most_divisions = 8, most_velocities = 60;
  const bool small = system.rows() > 0 && system.nv() <= most_velocities && system.power() != nullptr;
  for (int i = 0; i <= most_divisions; ++i) {
    if (auto at = state_at(system, t, q, to, Way::whole)) return at;
    if (auto at = state_at(system, t, q, to, Way::allowed)) return at;
    if (small)
      if (auto at = state_at(system, t, q, to, Way::carried)) return at;
    to.xi /= 4, to.later /= 4;
  }
  return std::nullopt;
}

/// The displacements have components up to 0.2 `units`. The angle of 12.9898 rad is not a rational part of a
/// turn, so no two components of a displacement are equal.
std::vector<SamplePoint> states_near(const ConstrainedSystem& system, double t, const Vec& q, int count,
                                     const Vec& units) {
  constexpr std::array incommensurate{2., 5., 11.};
  std::vector<SamplePoint> around;
  for (int k = 1; k <= count; ++k) {
    Displacement to{Vec(system.nv()), 0.1 * std::sqrt(incommensurate.at(static_cast<std::size_t>(k - 1)))};
    for (Eigen::Index j = 0; j < to.xi.size(); ++j)
      to.xi[j] = 0.2 * sin_cos(12.9898 * static_cast<double>((j + 1) * k)).sin * units[j];
    if (auto at = state_near(system, t, q, std::move(to))) around.push_back(*std::move(at));
  }
  system.choices()
      .begin_run();  // the displaced states must not set the number of rows that are expected to depend
  return around;
}

}  // namespace

std::vector<SamplePoint> states_around(const ConstrainedSystem& system, double t, const Vec& q, int count) {
  return states_near(system, t, q, count, Vec::Ones(system.nv()));
}

std::vector<SamplePoint> states_around(const MechanismSystem& system, double t, const Vec& q, int count) {
  const double unit = mechanics::displacement_unit(LinkLengths(system.model(), q).greatest());
  return states_near(system, t, q, count, mechanics::velocity_units(system.model(), unit));
}

void set_levels(const std::vector<Integrable>& found, std::vector<RowLevel>& levels) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] != RowLevel::velocity || found[i] == Integrable::in_doubt) continue;
    levels[i] = found[i] == Integrable::yes ? RowLevel::integrable : RowLevel::nonholonomic;
  }
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
  const double unit = mechanics::displacement_unit(LinkLengths(system.model(), q).greatest());
  set_levels(integrable_rows(pfaffian_system(system.model(), system.constraints(), unit), around), all);
  return all;
}

}  // namespace torsor
