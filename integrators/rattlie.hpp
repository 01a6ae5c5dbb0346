#pragma once

#include "lie_verlet.hpp"
#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/detail/newton.hpp"
#include "torsor/integrators/detail/turn_check.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// RATTLie: Lie Stormer-Verlet under constraints, for a constant left-invariant metric G and forces f(t, q).
/// With p = G v, and w the constant velocity of the autoparallel from q to q':
///
///   dexp_inv(-h w)^T G w = p + h/2 (f(t, q) + A(q)^T lambda),      q' = q exp(h w),   phi(q', t + h) = 0
///   p' = dexp_inv(h w)^T G w + h/2 (f(t + h, q') + A(q')^T mu),    A v' + a0 = 0 at q'
///
/// Order 2, time-symmetric, symplectic on the constraint manifold for f = -dV and holonomic rows, so that the
/// energy does not drift. Positions and velocities have their own multipliers (lambda, mu), and both satisfy
/// the constraints to rounding. A nonholonomic row has A w + a0 = 0 at the middle of the step in place of
/// phi. Without constraints the method is lie-verlet. Hante, Arnold, J. Comput. Appl. Math. 387 (2021)
/// 112492; Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1.4.
class Rattlie final : public Stepper {
 public:
  int order() const override { return 2; }
  long evaluations() const override { return evaluations_ + free_.evaluations(); }
  std::string message() const override { return message_; }
  std::optional<std::string> why_unsuitable(const System& system) const override;
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  StepStatus step(const ConstrainedSystem& system, State& x, double t, double h);
  bool solve_motion(const ConstrainedSystem& system, const State& x, double t, double h);
  void rows_of_motion(const ConstrainedSystem& system, const State& x, double t, double h, const Vec& z);

  LieVerlet free_;
  Newton newton_;
  TurnCheck turn_;
  State next_;
  Vec p_, force_, z_, xi_, w_, momentum_, r_, s_, psi_, reaction_, change_, dv_, q_m_;
  long evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
