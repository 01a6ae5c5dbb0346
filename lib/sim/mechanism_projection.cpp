#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanism_scratch.hpp"
#include "text.hpp"

// States and velocities next to given ones, in the metric, that meet the rows.

namespace torsor {
namespace {

/// What velocities may miss rows by, in parts of their size, before they are moved.
constexpr double kept = 1e-14;

/// What the matrix of a nearby state may leave of a correction: the product of both.
constexpr double left_of_correction = 1e-16;

}  // namespace

/// The smallest change, in the metric, by which the rows change by `rows` at (t, q): `xi`, in the velocities
/// of the tree.
void MechanismSystem::correct(double t, VecIn q, VecIn rows) const {
  Scratch& s = *scratch_;
  factor_nearby(t, q, left_of_correction / rows.lpNorm<Eigen::Infinity>());
  s.W.setZero();
  set_rows(rows);
  solve_bodies(false);
  s.xi.resize(nv());
  joints_from_bodies(model(), s.work, s.V, s.xi);
}

bool MechanismSystem::project_position(double t, VecOut q) const {
  constexpr int max_iterations = 20;
  Scratch& s = *scratch_;
  s.q_next.resize(nq());
  bool moved = false;
  double last = 1;
  for (int i = 0; i < max_iterations; ++i) {
    position_residual(t, q, s.lambda);
    s.lambda = -s.lambda;
    correct(t, q, s.lambda);
    const double change = s.xi.lpNorm<Eigen::Infinity>();
    if (change <= 32 * std::numeric_limits<double>::epsilon()) return moved;
    if (!(change <= 2 * last)) break;
    retract(q, s.xi, s.q_next);
    q = s.q_next;
    moved = true;
    // Newton's method squares the error, so that the next change is rounding.
    if (change < 1e-8 || (change < 1e-6 && change * change < 1e-16 * last)) return moved;
    last = change;
  }
  position_residual(t, q, s.lambda);
  constexpr double rounding = 1e-13;  // of coordinates of size 1
  if (s.lambda.lpNorm<Eigen::Infinity>() < rounding * (1 + q.lpNorm<Eigen::Infinity>())) return moved;
  throw EvaluationError(StepStatus::constraint_lost, "the constraints are missed by " +
                                                         sim::brief(s.lambda.lpNorm<Eigen::Infinity>()) +
                                                         " and cannot be met from here");
}

void MechanismSystem::project_velocity(double t, VecIn q, VecOut v) const {
  Scratch& s = *scratch_;
  velocity_residual(t, q, v, s.lambda);
  s.lambda = -s.lambda;
  correct(t, q, s.lambda);
  v += s.xi;
}

/// The velocity next to v, in the metric, that meets the rows at (t, q). What the velocities of stages miss
/// of them is of the order of the method, but many times the rest of its error. Not for loops: off the
/// constraints theirs may lose rank, and no velocity meets them.
void MechanismSystem::nearest_velocity(double t, VecIn q, VecIn v, VecOut out) const {
  Scratch& s = *scratch_;
  const bool known = s.t == t && s.v_given.size() == v.size() && s.v_given == v && s.q == q;
  if (known) {
    out = s.v_met;
    return;
  }
  s.v_met = v;
  look_at(t, q, v);
  factor();
  velocity_residual(t, q, v, s.lambda);
  if (s.lambda.lpNorm<Eigen::Infinity>() > kept * (1 + v.lpNorm<Eigen::Infinity>())) {
    s.lambda = -s.lambda;
    correct(t, q, s.lambda);
    s.v_met += s.xi;
  }
  s.v_given = v;
  out = s.v_met;
}

}  // namespace torsor
