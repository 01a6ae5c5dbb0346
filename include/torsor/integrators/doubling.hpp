#pragma once

#include <memory>

#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Gives an error estimate to a method of order p that has none: two steps of h/2, from which one step of h
/// differs by 2^p - 1 times their error to leading order,
///
///   error = log(y_coarse^-1 y_fine) / (2^p - 1),
///
/// with the difference taken on the group. The finer solution is carried on, so the estimate goes with h^(p +
/// 1), as that of an embedded solution of order p. Three times the evaluations of the method, two without
/// `error`. Hairer, Norsett, Wanner, Solving ODEs I, II.4.
class Doubling final : public Stepper {
 public:
  explicit Doubling(std::unique_ptr<Stepper> method);

  int order() const override { return method_->order(); }
  int embedded_order() const override { return method_->order(); }
  long evaluations() const override { return method_->evaluations(); }
  std::string message() const override { return message_; }
  void hand_over(StepTaker& taker) override { method_->hand_over(taker); }
  std::optional<std::string> why_unsuitable(const System& system) const override {
    return method_->why_unsuitable(system);
  }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  bool advance(const System& system, State& x, double t, double h);

  std::unique_ptr<Stepper> method_;
  State fine_, coarse_;
  StepStatus status_ = StepStatus::accepted;
  std::string message_;
};

}  // namespace torsor
