#pragma once

#include <memory>

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/run/simulate.hpp"

namespace torsor::mechanics {

/// The treatment of constraints in the options, or the default treatment of their method.
Treatment treatment_of(const SimulationOptions& options);
/// The treatment in a run of the system: its own if it is part of its equations, otherwise that of the
/// options. Throws std::invalid_argument if the options contradict the system.
Treatment treatment_of(const ConstrainedSystem& system, const SimulationOptions& options);

/// The method of the options. If the system has constraints, the method gets the treatment of
/// `treatment_of`; in place of `viscous` it gets its own default, for the rows with phi. Throws
/// std::invalid_argument.
std::unique_ptr<Stepper> make_method(const MethodInfo& method, const System& system,
                                     const SimulationOptions& options);

/// The method of the options, ready for a run: the options and the system are checked, and under a
/// tolerance a method without an error estimate gets one by step doubling. Throws std::invalid_argument.
std::unique_ptr<Stepper> make_stepper(const System& system, const SimulationOptions& options);

}  // namespace torsor::mechanics
