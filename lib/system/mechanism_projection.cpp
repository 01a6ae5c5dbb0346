#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanism_scratch.hpp"
#include "text.hpp"

// The nearest states and velocities, in the metric, that satisfy the rows.

namespace torsor {
namespace {

/// Velocities stay unchanged if the residual of the rows is at most this times 1 + |v|.
constexpr double kept = 1e-14;

/// A factorisation at a nearby state serves a correction if the product of its distance and the residual of
/// the rows is below this. The product is the size of the error in the correction.
constexpr double left_of_correction = 1e-16;

}  // namespace

/// Sets `xi`, in the velocities of the tree: the smallest change, in the metric, that changes the rows at
/// (t, q) by `rows`.
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
    // Newton's method squares the error: the next change would be rounding.
    if (change < 1e-8 || (change < 1e-6 && change * change < 1e-16 * last)) return moved;
    last = change;
  }
  position_residual(t, q, s.lambda);
  constexpr double rounding = 1e-13;  // of coordinates of size 1
  if (s.lambda.lpNorm<Eigen::Infinity>() < rounding * (1 + q.lpNorm<Eigen::Infinity>())) return moved;
  throw EvaluationError(StepStatus::constraint_lost, "the constraints are violated by " +
                                                         sim::brief(s.lambda.lpNorm<Eigen::Infinity>()) +
                                                         ", and projection does not converge");
}

void MechanismSystem::project_velocity(double t, VecIn q, VecOut v) const {
  Scratch& s = *scratch_;
  velocity_residual(t, q, v, s.lambda);
  s.lambda = -s.lambda;
  correct(t, q, s.lambda);
  v += s.xi;
}

/// The velocity nearest to v, in the metric, that satisfies the rows at (t, q). The residuals of stage
/// velocities are of the order of the method, but many times the rest of its error. Not for closed loops:
/// off the constraints their rows may lose rank, and then no velocity satisfies them.
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
