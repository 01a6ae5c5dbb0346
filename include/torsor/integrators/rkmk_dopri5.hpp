#pragma once

#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

#include "torsor/integrators/munthe_kaas.hpp"

namespace torsor {

/// The pair of order 5(4) of Dormand and Prince (J. Comp. Appl. Math. 6 (1980) 19-26) in the exponential
/// chart: six evaluations a step, since the last slope is the first of the next step; the integration
/// continues from the solution of order 5.
template <LieField F>
using RkmkDopri5 =
    MuntheKaas<F, boost::numeric::odeint::runge_kutta_dopri5<
                      typename F::Tangent, typename F::Scalar, typename F::Tangent, typename F::Scalar,
                      ChartAlgebra, boost::numeric::odeint::default_operations>>;

}  // namespace torsor
