#pragma once

#include <memory>

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Makes a method for ordinary differential equations one for constrained systems by index 1: the method
/// integrates v' = a(t, q, v) with the multipliers eliminated, then positions and velocities are projected
/// along the metric onto
///
///   phi(q, t + h) = 0,   A v + a0 = 0,
///
/// which moves them by no more than the local error: the order in positions, velocities and multipliers is
/// that of the method, whose error estimate stands. A slope that the method kept belongs to the state before
/// the projection and is dropped. Hairer, Wanner, Solving ODEs II, VII.2; Eich, SIAM J. Numer. Anal. 30
/// (1993) 1467-1482.
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
