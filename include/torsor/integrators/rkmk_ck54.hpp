#pragma once

#include <boost/numeric/odeint/stepper/runge_kutta_cash_karp54.hpp>

#include "torsor/integrators/munthe_kaas.hpp"

namespace torsor {

/// The pair of order 5(4) of Cash and Karp (ACM TOMS 16 (1990) 201-222) in the exponential chart: six
/// evaluations a step; the integration continues from the solution of order 5.
template <LieField F>
using RkmkCk54 =
    MuntheKaas<F, boost::numeric::odeint::runge_kutta_cash_karp54<
                      typename F::Tangent, typename F::Scalar, typename F::Tangent, typename F::Scalar,
                      ChartAlgebra, boost::numeric::odeint::default_operations>>;

}  // namespace torsor
