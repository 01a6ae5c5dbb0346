#pragma once

#include <memory>

#include "torsor/integrators/stepper.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor::sim {

/// How the method of the options holds constraints: as they ask, or by its default.
Treatment treatment_of(const SimulationOptions& options);

/// The method of the options, by the treatment of constraints that they ask for where the system has any.
/// Throws std::invalid_argument.
std::unique_ptr<Stepper> make_method(const MethodInfo& method, const System& system,
                                     const SimulationOptions& options);

/// The same as the options want it for a run: checked, and with an estimate of its error where they control
/// it.
std::unique_ptr<Stepper> make_stepper(const System& system, const SimulationOptions& options);

}  // namespace torsor::sim
