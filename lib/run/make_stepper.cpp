#include "make_stepper.hpp"

#include <stdexcept>

#include "integrators/doubling.hpp"
#include "integrators/step_taker.hpp"
#include "run/lanes/top_taker.hpp"
#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/generalized_alpha.hpp"

namespace torsor::mechanics {

Treatment treatment_of(const SimulationOptions& options) {
  if (options.constraints) return *options.constraints;
  const MethodInfo* const method = find_method(options.method);
  return method && !method->treatments.empty() ? method->treatments.front() : Treatment::index_1;
}

Treatment treatment_of(const ConstrainedSystem& system, const SimulationOptions& options) {
  const auto in_equations = [](Treatment one) { return one > Treatment::index_1; };
  const std::optional<Treatment> own = system.treatment();
  const Treatment asked = treatment_of(options);
  if (!own && in_equations(asked) && system.rows() > 0)
    throw std::invalid_argument("the treatment " + std::string(to_string(asked)) +
                                " is part of the equations, and ConstrainedSystem::treatment of this system "
                                "does not say that it has them; use index-1, index-2 or index-3");
  if (!own || *own == asked || !(in_equations(*own) || in_equations(asked))) return asked;
  if (!options.constraints) return *own;
  throw std::invalid_argument("the equations of the system treat the constraints by " +
                              std::string(to_string(*own)) + ", and the options ask for " +
                              std::string(to_string(asked)));
}

std::unique_ptr<Stepper> make_method(const MethodInfo& method, const System& system,
                                     const SimulationOptions& options) {
  const ConstrainedSystem* const constrained = system.constrained();
  if (!constrained || (options.make_method && constrained->rows() == 0)) {
    if (options.make_method) {
      auto made = options.make_method();
      if (!made) throw std::invalid_argument("make_method of the options returned no method");
      return made;
    }
    if (options.spectral_radius) return std::make_unique<GeneralizedAlpha>(*options.spectral_radius);
    return method.make();
  }
  if (options.make_method)
    throw std::invalid_argument(
        "make_method of the options makes methods for systems without constraints; "
        "this system has constraints");
  if (method.treatments.empty()) return method.make();  // why_unsuitable of the method gives the reason
  const Treatment treatment = treatment_of(*constrained, options);
  if (!method.takes(treatment))
    throw std::invalid_argument(options.method + " does not take constraints by " +
                                std::string(to_string(treatment)));
  const bool gives_way = treatment == Treatment::viscous;  // rows with phi get the default treatment
  const Treatment form = gives_way ? method.treatments.front() : treatment;
  if (options.spectral_radius) return std::make_unique<GeneralizedAlpha>(*options.spectral_radius, form);
  return method.make(form);
}

std::unique_ptr<Stepper> make_stepper(const System& system, const SimulationOptions& options) {
  if (const auto why = options.why_invalid()) throw std::invalid_argument(*why);
  auto stepper = make_method(*find_method(options.method), system, options);
  if (auto* explicit_stepper = dynamic_cast<StepperWithTaker*>(stepper.get());
      explicit_stepper && !options.make_method)
    explicit_stepper->hand_over(make_top_taker(system, options.method));
  if (options.tolerance_in_force() && stepper->embedded_order() == 0)
    stepper = std::make_unique<Doubling>(std::move(stepper));
  if (const auto why = stepper->why_unsuitable(system))
    throw std::invalid_argument(options.method + ": " + *why);
  return stepper;
}

}  // namespace torsor::mechanics
