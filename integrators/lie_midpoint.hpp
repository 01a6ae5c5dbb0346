#pragma once

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/detail/newton.hpp"
#include "torsor/integrators/detail/turn_check.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Implicit midpoint on a group. With v_m the velocity at the middle of the step:
///
///   v_m = v + h/2 a(t + h/2, q exp(h/2 v_m), v_m),   q' = q exp(h v_m),   v' = 2 v_m - v
///
/// Under constraints each half of the step has its own multipliers, as in RATTLE. With q_m, M and f at the
/// middle of the step:
///
///   2/h M (v_m - v)  = f + A(q)^T lambda,    phi(q', t + h) = 0,
///   2/h M (v' - v_m) = f + A(q')^T mu,       A v' + a0 = 0 at q',
///
/// Nonholonomic rows have A v_m + a0 = 0 at the middle in place of phi. Order 2, time-symmetric. One
/// nonlinear solve a step, of size nv, or of size nv + rows under constraints; then also a linear one for v'.
/// If a solve stalls, the status is newton_failed and x is unchanged.
/// Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.8, VII.1.4.
class LieMidpoint final : public Stepper {
 public:
  int order() const override { return 2; }
  long evaluations() const override { return evaluations_; }
  std::string message() const override { return message_; }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  StepStatus step(const System& system, State& x, double t, double h);
  StepStatus step(const ConstrainedSystem& system, State& x, double t, double h);
  bool first_half(const ConstrainedSystem& system, const State& x, double t, double h);
  bool second_half(const ConstrainedSystem& system, double t, double h);
  Tangent::Linearisation tangent_at(double t, double h) const;
  double unit_of_displacements(const ConstrainedSystem& system, const State& x);
  double unit_of_reactions(double h, double factor) const;
  StepStatus keep(const System& system, State& x);

  Newton newton_;
  TurnCheck turn_;
  State middle_, next_;
  Vec xi_, a_, z_, force_, r_, s_, reaction_, lambda_;
  Eigen::Index in_norm_ = 0;  ///< velocities before the quadratures
  double momentum_ = 0;       ///< greatest component at the start of the step
  long evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
