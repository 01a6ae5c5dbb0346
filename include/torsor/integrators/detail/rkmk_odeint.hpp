#pragma once

#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_cash_karp54.hpp>

#include "torsor/integrators/detail/munthe_kaas.hpp"

/// The methods of rkmk.hpp that use steppers of Boost.Odeint.
namespace torsor {

/// The classical Runge-Kutta method of order 4 in the exponential chart: four evaluations a step, no error
/// estimate.
template <LieField F>
using Rkmk4 =
    MuntheKaas<F, boost::numeric::odeint::runge_kutta4<typename F::Tangent, typename F::Scalar,
                                                       typename F::Tangent, typename F::Scalar, ChartAlgebra,
                                                       boost::numeric::odeint::default_operations>>;

/// The pair of order 5(4) of Cash and Karp (ACM TOMS 16 (1990) 201-222) in the exponential chart: six
/// evaluations a step; the integration continues from the solution of order 5.
template <LieField F>
using RkmkCk54 =
    MuntheKaas<F, boost::numeric::odeint::runge_kutta_cash_karp54<
                      typename F::Tangent, typename F::Scalar, typename F::Tangent, typename F::Scalar,
                      ChartAlgebra, boost::numeric::odeint::default_operations>>;

}  // namespace torsor
