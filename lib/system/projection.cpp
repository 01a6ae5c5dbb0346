#include "projection.hpp"

#include <algorithm>
#include <limits>

#include "greatest.hpp"
#include "length_unit.hpp"
#include "model/body_space.hpp"
#include "same_numbers.hpp"
#include "text.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {
namespace {

/// Velocities stay unchanged if the residual of the rows is at most this times |v|.
constexpr double kept = 1e-14;

/// A factorisation at a nearby state serves a correction if the product of its distance and the residual of
/// the rows is below this times min(1, `size`), with the `size` of Projection::correct. The product is the
/// size of the error in the correction.
constexpr double left_of_correction = 1e-16;

}  // namespace

Projection::Projection(const TreeSystem& tree, BodyEquations& bodies, StepperRows& rows, BodySolver& solver)
    : tree_(tree),
      bodies_(bodies),
      rows_(rows),
      solver_(solver),
      residual_(Vec::Zero(rows.size())),
      xi_(tree.nv()),
      q_next_(tree.nq()),
      W_(Vec::Zero(6 * tree.model().size())),
      V_(W_),
      s_(Vec::Zero(bodies.constraints().size())),
      y_(s_) {}

void Projection::velocity_residual(double t, VecIn q, VecIn v, VecOut out) {
  bodies_.evaluate(t, q);
  velocity_residual(v, out);
}

/// The same at the instant of `bodies_`.
void Projection::velocity_residual(VecIn v, VecOut out) {
  bodies_from_joints(bodies_.model(), bodies_.kinematics(), v, V_);
  rows_.times(bodies_, V_, out);
  rows_.add_offsets(bodies_, out);
}

/// Sets xi: the smallest change, in the metric, that changes the rows by -residual. `size`: the greatest
/// component of the velocity that xi corrects; for a configuration, the length_unit of the mechanism.
void Projection::correct(double size) {
  solver_.factor_nearby(left_of_correction * std::min(1., size) / residual_.lpNorm<Eigen::Infinity>());
  set_right_sides();
  solver_.solve_or_throw(W_, s_, V_, y_, BodySolver::Multipliers::any);
  joints_from_bodies(bodies_.model(), bodies_.kinematics(), V_, xi_);
}

void Projection::set_right_sides() {
  residual_ = -residual_;
  W_.setZero();
  rows_.spread(residual_, s_);
}

bool Projection::position(double t, VecOut q) {
  constexpr int max_iterations = 20;
  const auto residual = [&] {
    bodies_.evaluate(t, q);
    rows_.position_residual(bodies_, residual_);
  };
  const double size_of_mechanism = tree_.lengths().greatest(), unit = length_unit(size_of_mechanism);
  bool moved = false;
  double last = std::max(1., size_of_mechanism);
  for (int i = 0; i < max_iterations; ++i) {
    residual();
    correct(unit);
    const double change = linear::greatest(xi_);
    if (change <= 32 * std::numeric_limits<double>::epsilon() * unit) return moved;
    if (!(change <= 2 * last)) break;
    tree_.retract(q, xi_, q_next_);
    q = q_next_;
    moved = true;
    // Newton's method squares the error: the next change would be rounding.
    if (change < 1e-8 * unit || (change < 1e-6 * unit && change * change < 1e-16 * unit * last)) return moved;
    last = change;
  }
  residual();
  constexpr double rounding = 1e-13;  // of coordinates of size 1
  const double size = linear::greatest(residual_);
  if (size < rounding * (1 + q.lpNorm<Eigen::Infinity>())) return moved;
  throw EvaluationError(StepStatus::constraint_lost, "the constraints are violated by " + brief(size) +
                                                         ", and projection does not converge");
}

void Projection::velocity(double t, VecIn q, VecOut v) {
  velocity_residual(t, q, v, residual_);
  correct(v.lpNorm<Eigen::Infinity>());
  v += xi_;
}

/// The velocities of stages violate the rows. Their residual is of the order of the method in the step size,
/// but many times as large as the rest of the method's error.
void Projection::nearest_velocity(double t, VecIn q, VecIn v, VecOut out) {
  bodies_.evaluate(t, q, v);
  if (place_ == bodies_.place() && same_numbers(v_given_, v)) {
    out = v_met_;
    return;
  }
  place_ = -1;
  v_given_ = v;
  velocity_residual(v, residual_);
  const double speed = v.lpNorm<Eigen::Infinity>();
  if (residual_.lpNorm<Eigen::Infinity>() > kept * speed) {
    set_right_sides();
    if (!solver_.factor_and_solve(W_, s_, V_, y_, BodySolver::Multipliers::any))
      solver_.throw_contradiction();
    joints_from_bodies(bodies_.model(), bodies_.kinematics(), V_, xi_);
    out = v_given_ + xi_;
  } else {
    out = v_given_;
  }
  v_met_ = out;
  place_ = bodies_.place();
}

}  // namespace torsor::mechanics
