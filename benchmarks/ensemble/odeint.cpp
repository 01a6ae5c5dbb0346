#include "ensemble/odeint.hpp"

#include <boost/numeric/odeint/algebra/algebra_dispatcher.hpp>  // needed by the next header
#include <boost/numeric/odeint/external/eigen/eigen.hpp>
#include <boost/numeric/odeint/integrate/integrate_n_steps.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>

#include "torsor/batch/ensemble_kernels.hpp"

namespace bench {

namespace odeint = boost::numeric::odeint;
using torsor::compiled_isa;

namespace {

using Row = Eigen::ArrayXd;

void rate(const Row& state, Row& out, double) {
  const Eigen::Index n = state.size() / 7;
  const double* y = state.data();
  double* r = out.data();
  const auto& J = top_inertia;
#pragma GCC ivdep
  for (Eigen::Index i = 0; i < n; ++i) {
    const double w = y[i], a = y[n + i], b = y[2 * n + i], c = y[3 * n + i];
    const double v0 = y[4 * n + i], v1 = y[5 * n + i], v2 = y[6 * n + i];
    r[i] = (-a * v0 - b * v1 - c * v2) * 0.5;
    r[n + i] = (w * v0 + b * v2 - c * v1) * 0.5;
    r[2 * n + i] = (w * v1 + c * v0 - a * v2) * 0.5;
    r[3 * n + i] = (w * v2 + a * v1 - b * v0) * 0.5;
    const double f_x = (a * c - w * b) * (-2 * top_weight), f_z = (1 - 2 * (a * a + b * b)) * -top_weight;
    r[4 * n + i] = ((J[1] - J[2]) * v1 * v2 + f_z) * (1 / J[0]);
    r[5 * n + i] = (J[2] - J[0]) * v2 * v0 * (1 / J[1]);
    r[6 * n + i] = ((J[0] - J[1]) * v0 * v1 - f_x) * (1 / J[2]);
  }
}

}  // namespace

template <>
void odeint_together<compiled_isa>(std::span<double> state, double h, long n) {
  Row y = Eigen::Map<const Row>(state.data(), static_cast<Eigen::Index>(state.size()));
  odeint::runge_kutta4<Row, double, Row, double, odeint::vector_space_algebra> stepper;
  odeint::integrate_n_steps(stepper, rate, y, 0., h, n);
  Eigen::Map<Row>(state.data(), y.size()) = y;
}

template <>
void odeint_one_by_one<compiled_isa>(std::span<HandState> tops, double h, long n) {
  for (HandState& y : tops) {
    odeint::runge_kutta4<HandState> stepper;
    odeint::integrate_n_steps(stepper, hand_rate, y, 0., h, n);
  }
}

}  // namespace bench
