#pragma once

#include "torsor/integrators/newton.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/integrators/turn_check.hpp"

namespace torsor {

/// Generalized-alpha on a group, for systems without constraints. With the algorithmic acceleration b and the
/// true one a(t, q, v):
///
///   q' = q exp(h v + h^2 ((1/2 - beta) b + beta b')),      v' = v + h ((1 - gamma) b + gamma b'),
///   (1 - alpha_m) b' + alpha_m b = (1 - alpha_f) a(t + h, q', v') + alpha_f a(t, q, v),
///
///   alpha_m = (2 rho - 1)/(rho + 1),  alpha_f = rho/(rho + 1),  gamma = 1/2 + alpha_f - alpha_m,
///   beta = (gamma + 1/2)^2 / 4.
///
/// Order 2; unconditionally stable for linear systems, where motions much faster than the step are damped by
/// the factor rho in each step. b follows a(t + (alpha_m - alpha_f) h): the first b is taken there, along the
/// tangent, so that the order holds from the first step. One solve of size nv a step. Steps of one size: b
/// belongs to it. Bruls, Cardona, Arnold, Mech. Mach. Theory 48 (2012) 121-137; Chung, Hulbert, J. Appl.
/// Mech. 60 (1993) 371-375.
class GeneralizedAlpha final : public Stepper {
 public:
  /// rho in [0, 1]: the spectral radius at infinite frequency.
  explicit GeneralizedAlpha(double rho = 0.9);

  int order() const override { return 2; }
  long evaluations() const override { return evaluations_; }
  std::string message() const override { return message_; }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  StepStatus step(const System& system, State& x, double t, double h);
  void begin(const System& system, const State& x, double t, double h);
  void advance(const System& system, const State& x, double h, const Vec& a);

  double alpha_m_, alpha_f_, gamma_, beta_;
  Newton newton_;
  TurnCheck turn_;
  State next_;
  Vec a_, b_, a_next_, b_next_, trial_, xi_;
  long evaluations_ = 0;
  std::string message_;
};

}  // namespace torsor
