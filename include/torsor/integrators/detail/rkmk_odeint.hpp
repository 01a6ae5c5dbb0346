#pragma once

#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_cash_karp54.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

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

/// The pair of Fehlberg of order 7(8) (NASA TR R-287, 1968) in the exponential chart: thirteen evaluations a
/// step. The integration continues from the solution of order 8; the error estimate is that of the solution
/// of order 7. On R^n, the estimate is zero if the field depends on time alone.
template <LieField F>
using RkmkFehlberg78 =
    MuntheKaas<F, boost::numeric::odeint::runge_kutta_fehlberg78<
                      typename F::Tangent, typename F::Scalar, typename F::Tangent, typename F::Scalar,
                      ChartAlgebra, boost::numeric::odeint::default_operations>>;

}  // namespace torsor
