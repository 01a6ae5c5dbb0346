#pragma once

#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

#include "torsor/integrators/munthe_kaas.hpp"

namespace torsor {

/// The pair of Fehlberg of order 7(8) (NASA TR R-287, 1968) in the exponential chart: thirteen evaluations a
/// step. The integration continues from the solution of order 8; the error estimate is that of the solution
/// of order 7. The estimate is zero where the field depends on time alone.
template <LieField F>
using RkmkFehlberg78 =
    MuntheKaas<F, boost::numeric::odeint::runge_kutta_fehlberg78<
                      typename F::Tangent, typename F::Scalar, typename F::Tangent, typename F::Scalar,
                      ChartAlgebra, boost::numeric::odeint::default_operations>>;

}  // namespace torsor
