#pragma once

#include <boost/numeric/odeint/stepper/stepper_categories.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// A method of this library as a stepper for Odeint's integration functions (integrate_const,
/// integrate_n_steps, ...). They do not handle a status, so a failed step throws EvaluationError and leaves x
/// unchanged. Throws std::invalid_argument if x does not have the sizes of the system, if the method cannot
/// integrate the system, and for systems with constraints, own states or counted angles, which `simulate`
/// integrates. It does not look for kinks inside a step, as `simulate` does.
///
///   OdeintStepper stepper("cf4");
///   boost::numeric::odeint::integrate_const(stepper, std::cref(system), x, 0., 1., 1e-3, observer);
class OdeintStepper {
 public:
  using state_type = State;
  using deriv_type = Vec;
  using value_type = double;
  using time_type = double;
  using order_type = unsigned short;
  using stepper_category = boost::numeric::odeint::stepper_tag;

  explicit OdeintStepper(std::string_view name) {
    const MethodInfo* info = find_method(name);
    if (!info) throw std::invalid_argument("no method is called " + std::string(name));
    stepper_ = info->make();
    name_ = info->name;
  }

  order_type order() const { return static_cast<order_type>(stepper_->order()); }

  void do_step(const System& system, State& x, double t, double h) {
    check(system);
    if (x.q.size() != system.nq() || x.v.size() != system.nv())
      throw std::invalid_argument("the state has " + std::to_string(x.q.size()) + " coordinates and " +
                                  std::to_string(x.v.size()) + " velocities; the system has " +
                                  std::to_string(system.nq()) + " and " + std::to_string(system.nv()));
    const StepStatus status = stepper_->do_step(system, x, t, h);
    if (status != StepStatus::accepted) throw EvaluationError(status, stepper_->message(), stepper_->part());
  }

 private:
  void check(const System& system) const {
    const ConstrainedSystem* const constrained = system.constrained();
    if ((constrained && constrained->rows() > 0) || system.own_states() || system.counted_angles())
      throw std::invalid_argument(
          "OdeintStepper takes systems without constraints, own states and counted angles; `simulate` "
          "integrates the others");
    if (const auto why = stepper_->why_unsuitable(system))
      throw std::invalid_argument(std::string(name_) + ": " + *why);
  }

  // Odeint copies its steppers. Copies may share scratch because all other data is in the state.
  std::shared_ptr<Stepper> stepper_;
  std::string_view name_;
};

}  // namespace torsor
