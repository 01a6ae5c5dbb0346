#pragma once

/// The umbrella header of the integrators: the methods as templates over a field, with fixed or controlled
/// steps; the adaptor for Boost.Odeint; the list of all methods for systems of run-time size.

#include "torsor/integrators/bliedf.hpp"
#include "torsor/integrators/commutator_free.hpp"
#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/euler_poincare.hpp"
#include "torsor/integrators/field.hpp"
#include "torsor/integrators/generalized_alpha.hpp"
#include "torsor/integrators/geodesic_flow.hpp"
#include "torsor/integrators/group_system.hpp"
#include "torsor/integrators/integrate.hpp"
#include "torsor/integrators/odeint_adaptor.hpp"
#include "torsor/integrators/rkmk.hpp"
#include "torsor/integrators/rkmk_brackets.hpp"
#include "torsor/integrators/rkmk_order8.hpp"
#include "torsor/integrators/step_control.hpp"
#include "torsor/integrators/stepper.hpp"
#include "torsor/integrators/system.hpp"
#include "torsor/integrators/tangent.hpp"
#include "torsor/integrators/treatment.hpp"
#include "torsor/lie/status.hpp"
