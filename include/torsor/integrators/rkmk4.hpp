#pragma once

#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>

#include "torsor/integrators/munthe_kaas.hpp"

namespace torsor {

/// The classical Runge-Kutta method of order 4 in the exponential chart: four evaluations a step, no error
/// estimate.
template <LieField F>
using Rkmk4 =
    MuntheKaas<F, boost::numeric::odeint::runge_kutta4<typename F::Tangent, typename F::Scalar,
                                                       typename F::Tangent, typename F::Scalar, ChartAlgebra,
                                                       boost::numeric::odeint::default_operations>>;

}  // namespace torsor
