#pragma once

#include "torsor/geometry/constrained_point.hpp"
#include "torsor/geometry/event_metric.hpp"
#include "torsor/geometry/field.hpp"
#include "torsor/geometry/frame.hpp"

namespace torsor::geometry {

/// Constraint R written as an equation of motion of its own, for fields over events (q, t) of a chart:
///
///   Lambda_R = (m_RR lambda' + m_R0)' + c_RR lambda' + k_RR lambda - f_R        no sum over R
///   m_RR = c_R^T G c_R,   m_R0 = c_R^T (G c_R0 + g_0)
///   c_RR = -c_R^T df/dv c_R - (dc_R/dt)^T G c_R
///   k_RR = -c_R^T df/dq c_R
///   f_R = c_R^T f + (dc_R/dt)^T (G c_R0 + g_0)
///
/// with c_R the columns of C = G^-1 A^T M_c, c_R0 = -a0_R c_R, and d/dt at fixed q. The multiplier is
/// Lambda; lambda is the coordinate that it moves. Units, with the constraint in U: m_RR kg m^2/U^2, c_RR N m
/// s/U^2, k_RR N m/U^2, f_R N m/U. Paraskevopoulos, Natsiavas, equations of motion for mechanical systems
/// subject to acatastatic constraints, (90)-(94), with the signs of (94) corrected.
template <class S, int k>
struct ConstraintOde {
  Vector<S, k> m, m0, c, stiffness, f;  ///< m_RR, m_R0, c_RR, k_RR, f_R
  Vector<S, k> m_dot, m0_dot;           ///< along the motion

  /// lambda'' under the multipliers Lambda.
  Vector<S, k> acceleration(const Vector<S, k>& Lambda, const Vector<S, k>& lambda,
                            const Vector<S, k>& lambda_dot) const {
    return (Lambda + f - m0_dot - (c + m_dot).cwiseProduct(lambda_dot) - stiffness.cwiseProduct(lambda))
        .cwiseQuotient(m);
  }
  /// phi'' of (m_RR phi')' + c_RR phi' + k_RR phi = 0: how a violation phi of a position constraint evolves.
  /// It need not decay: if the loads do not depend on position or velocity and c_R does not depend on t, then
  /// c_RR = k_RR = 0 and m_RR phi' is constant.
  Vector<S, k> violation_acceleration(const Vector<S, k>& phi, const Vector<S, k>& phi_dot) const {
    return -((c + m_dot).cwiseProduct(phi_dot) + stiffness.cwiseProduct(phi)).cwiseQuotient(m);
  }
};

/// m_RR (first) and m_R0 of any vectors with a^R c_R = 1 and a^R c_R0 = -a0_R, in columns.
template <class S, int n, int k>
Matrix<S, k, 2> constraint_masses(const EventMetric<S, n>& metric, const Matrix<S, n, k>& C,
                                  const Matrix<S, n, k>& C0) {
  Matrix<S, k, 2> masses(C.cols(), 2);
  for (Eigen::Index R = 0; R < C.cols(); ++R) {
    masses(R, 0) = C.col(R).dot(metric.g * C.col(R));
    masses(R, 1) = C.col(R).dot(metric.g * C0.col(R) + metric.g0);
  }
  return masses;
}

/// `metric`, `rows` A and `offset` a0 are fields over events; `force` gives the applied covector f(event, v).
template <class Metric, class Rows, class Offset, class Force, class S, int N>
auto constraint_ode(const Metric& metric, const Rows& rows, const Offset& offset, const Force& force,
                    const Vector<S, N>& at, const Vector<S, without_time<N>>& v) {
  constexpr int n = without_time<N>;
  using Velocity = Vector<S, n>;
  const CoordinateFrame<N> chart;
  const auto columns = [&](const auto& q) { return constrained_point(event_metric(metric(q)).g, rows(q)).C; };
  const auto columns_0 = [&](const auto& q) {
    auto C = columns(q);
    const auto a0 = offset(q);
    for (Eigen::Index R = 0; R < C.cols(); ++R) C.col(R) *= -a0[R];
    return C;
  };
  const auto masses = [&](const auto& q) {
    return constraint_masses(event_metric(metric(q)), columns(q), columns_0(q));
  };
  const Velocity still = Velocity::Constant(v.size(), S(0));
  const auto C = columns(at), C0 = columns_0(at);
  const auto C_t = derivative_along(chart, at, event_velocity<S, n>(still), columns);
  const auto mass = masses(at), mass_dot = derivative_along(chart, at, event_velocity<S, n>(v), masses);
  const EventMetric<S, n> g = event_metric(metric(at));
  const Velocity f = force(at, v);

  constexpr int k = std::decay_t<decltype(C)>::ColsAtCompileTime;
  const auto zero = Vector<S, k>::Constant(C.cols(), S(0));
  ConstraintOde<S, k> ode{mass.col(0), mass.col(1), zero, zero, zero, mass_dot.col(0), mass_dot.col(1)};
  for (Eigen::Index R = 0; R < C.cols(); ++R) {
    const Velocity c_R = C.col(R), c_R0 = C0.col(R), c_R_t = C_t.col(R);
    const Velocity f_q =
        derivative_part(force(chart.moved(at, event<S, n>(c_R, S(0))), with_derivative(v, still)));
    const Velocity f_v =
        derivative_part(force(chart.moved(at, event<S, n>(still, S(0))), with_derivative(v, c_R)));
    ode.c[R] = -c_R.dot(f_v) - c_R_t.dot(g.g * c_R);
    ode.stiffness[R] = -c_R.dot(f_q);
    ode.f[R] = c_R.dot(f) + c_R_t.dot(g.g * c_R0 + g.g0);
  }
  return ode;
}

}  // namespace torsor::geometry
