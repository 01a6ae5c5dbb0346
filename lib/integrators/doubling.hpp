#pragma once

#include <memory>

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Gives an error estimate to a method of order p that has none. It compares two steps of h/2 (y_fine) with
/// one step of h (y_coarse). To leading order, their difference on the group is 2^p - 1 times the error of
/// y_fine:
///
///   error = log(y_coarse^-1 y_fine) / (2^p - 1).
///
/// The integration continues from y_fine, so the estimate is proportional to h^(p + 1), as with an embedded
/// solution of order p. A step of a constrained system is rejected if its displacement does not follow
/// from its velocities: it may have reached another solution of the constraints. A step needs three times the evaluations of the method, or two times without `error`.
/// Hairer, Norsett, Wanner, Solving ODEs I, II.4.
class Doubling final : public Stepper {
 public:
  explicit Doubling(std::unique_ptr<Stepper> method);

  int order() const override { return method_->order(); }
  int embedded_order() const override { return method_->order(); }
  long evaluations() const override { return method_->evaluations(); }
  std::string message() const override { return message_; }
  std::optional<std::string> why_unsuitable(const System& system) const override {
    return method_->why_unsuitable(system);
  }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  bool advance(const System& system, State& x, double t, double h);
  bool leaves_velocities(const System& system, const State& x, double t, double h);
  void see_determined(const ConstrainedSystem& system, double t, Vec& error);

  std::unique_ptr<Stepper> method_;
  State fine_, coarse_, middle_;
  Vec velocity_, xi_, sum_, missed_, none_;
  StepStatus status_ = StepStatus::accepted;
  std::string message_;
};

}  // namespace torsor
