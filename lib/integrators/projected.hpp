#pragma once

#include <memory>

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Integrates constrained systems by index 1 with a method for ordinary differential equations, which
/// integrates v' = a(t, q, v) with the multipliers eliminated, or by index 2 with a half-explicit method.
/// After each step, positions and velocities are projected along the metric onto
///
///   phi(q, t + h) = 0,   A v + a0 = 0.
///
/// The projection moves them by no more than the local error, so the order in positions, velocities and
/// multipliers is that of the method. The error estimate is also that of the method, except near a singular
/// configuration: there the part of the error that the projection removes counts only to second order. A
/// slope that the method stored belongs to the state before the projection and is dropped.
/// Hairer, Wanner, Solving ODEs II, VII.2; Eich, SIAM J. Numer. Anal. 30 (1993) 1467-1482.
class Projected final : public Stepper {
 public:
  explicit Projected(std::unique_ptr<Stepper> method);

  int order() const override { return method_->order(); }
  int embedded_order() const override { return method_->embedded_order(); }
  long evaluations() const override { return method_->evaluations(); }
  std::string message() const override { return message_; }
  /// Takes constrained systems only.
  std::optional<std::string> why_unsuitable(const System& system) const override;
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  void take_away(const ConstrainedSystem& system, double t, Vec& error);

  std::unique_ptr<Stepper> method_;
  State trial_;
  Vec along_, lambda_, zero_;
  std::string message_;
};

}  // namespace torsor
