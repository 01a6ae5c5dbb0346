#pragma once

#include "torsor/integrators/newton.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/integrators/turn_check.hpp"

namespace torsor {

/// Implicit midpoint on a group. With v_m the velocity at the middle of the step:
///
///   v_m = v + h/2 a(t + h/2, q exp(h/2 v_m), v_m),   q' = q exp(h v_m),   v' = 2 v_m - v
///
/// Order 2, time-symmetric. One solve of size nv a step; newton_failed when it stalls, x as it was.
/// Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.8.
class LieMidpoint final : public Stepper {
 public:
  int order() const override { return 2; }
  long evaluations() const override { return evaluations_; }
  std::string message() const override { return message_; }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  StepStatus step(const System& system, State& x, double t, double h);

  Newton newton_;
  TurnCheck turn_;
  State next_;
  Vec v_m_, xi_, q_m_, a_;
  long evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
