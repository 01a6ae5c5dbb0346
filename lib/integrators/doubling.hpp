#pragma once

#include <memory>
#include <vector>

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
/// solution of order p. It is blind to motions that constraints determine. There, and if the displacement of
/// a constrained system does not follow from its velocities, the error is the difference from Simpson's rule.
/// A step needs three times the evaluations of the method, or two times without `error`. Hairer, Norsett,
/// Wanner, Solving ODEs I, II.4.
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
  void find_determined(const ConstrainedSystem& system, const State& x, double t);
  void see_missed(bool leaves_velocities, Vec& error) const;

  std::unique_ptr<Stepper> method_;
  State fine_, coarse_, middle_;
  Vec velocity_, xi_, sum_, missed_, none_;
  const ConstrainedSystem* searched_ = nullptr;  ///< the system of the last search for determined components
  int searches_ = 0;                             ///< of its determined components, so far
  Vec searched_at_;                              ///< the configuration of the last search
  std::vector<int> determined_;
  StepStatus status_ = StepStatus::accepted;
  std::string message_;
};

}  // namespace torsor
