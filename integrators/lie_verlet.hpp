#pragma once

#include "torsor/integrators/detail/newton.hpp"
#include "torsor/integrators/detail/turn_check.hpp"
#include "torsor/integrators/euler_poincare.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Lie Stormer-Verlet, for a constant left-invariant metric G and forces f(t, q). With p = G v and w the
/// velocity of the autoparallel that makes the step:
///
///   dexp_inv(-h w)^T G w = p + h/2 f(t, q)
///   q' = q exp(h w)
///   p' = dexp_inv(h w)^T G w + h/2 f(t + h, q')
///
/// p' is computed as p + h ad_w^T G w + h/2 (f + f'), which is the same since dexp_inv(h w) - dexp_inv(-h w)
/// is h ad_w. This sum of small changes has rounding errors without bias, so that the energy does not drift.
///
/// These are the discrete Euler-Lagrange equations of h/2 w^T G w - h/2 (V(q) + V(q')) with q' = q exp(h w):
/// order 2, time-symmetric, symplectic for f = -dV, and Ad*-equivariant, so that a free body keeps its
/// spatial momentum. Only the equation for w is implicit, and it needs no new force: one force evaluation a
/// step.
/// Bou-Rabee, Marsden, Found. Comput. Math. 9 (2009) 197-219; Bogfjellmo, Marthinsen, Found. Comput. Math. 16
/// (2016) 493-530.
class LieVerlet final : public Stepper {
 public:
  int order() const override { return 2; }
  /// Number of force evaluations so far.
  long evaluations() const override { return evaluations_; }
  std::string message() const override { return message_; }
  std::optional<std::string> why_unsuitable(const System& system) const override;
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  StepStatus step(const System& system, State& x, double t, double h);
  bool solve_velocity(const EulerPoincare& equations, double h);

  Newton newton_;
  TurnCheck turn_;
  State next_;
  Vec p_, w_, xi_, momentum_, transported_, force_, change_, dv_;
  long evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
