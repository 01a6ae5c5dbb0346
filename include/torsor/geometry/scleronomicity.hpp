#pragma once

#include "torsor/geometry/connection.hpp"
#include "torsor/geometry/event_metric.hpp"

namespace torsor::geometry {

/// Whether time can be removed from a system: its events split into configurations times time, for the
/// Levi-Civita connection, if and only if both residuals vanish on an open set. With the standard time vector
/// V
///
///   S1_ij = (L_V g)(e_i, e_j)        a mass matrix that truly varies with time, kg/s
///   S2_i = e_i(g(V, V))              -g(V, V)/2 acts as a potential, such as that of centrifugal forces; J/m
///
/// Paraskevopoulos, Natsiavas, equations of motion for mechanical systems subject to acatastatic constraints,
/// (81)-(88).
template <class S, int n>
struct Scleronomicity {
  Matrix<S, n> S1;
  Vector<S, n> S2;
  S scaled_S1;  ///< max|S1| T_0 / max|g|, T_0 a time scale of the problem
  S scaled_S2;  ///< max|S2| / |g(V, V)|
};

/// The residuals at one event; evaluate several. The last vector of the frame is the time vector; the other
/// vectors and their brackets are spatial. The frame may be that of coordinates, of moving fields, or a
/// Distribution under constraints. `metric` gives the metric of events in this frame. In components,
///
///   (L_V g)_JK = V^I e_I(g_JK) + (e_J(V^I) - c(I, L, J) V^L) g_IK + (e_K(V^I) - c(I, L, K) V^L) g_IJ
template <class Frame, class Metric, class Point>
auto scleronomicity(const Frame& frame, const Metric& metric, const Point& q,
                    const typename Point::Scalar& time_scale) {
  using S = typename Point::Scalar;
  constexpr int N = Frame::dof, n = without_time<N>;
  const auto V = [&](const auto& at) { return event_metric(metric(at)).standard_time_vector(); };
  const auto g_VV = [&](const auto& at) { return event_metric(metric(at)).standard_g00(); };
  const Matrix<S, N> g = metric(q);
  const Vector<S, N> V_here = V(q);
  const auto dV = frame_derivatives(frame, q, V);
  const auto dg_VV = frame_derivatives(frame, q, g_VV);
  Matrix<S, N> bracket = -frame.structure_coefficients(q).along(V_here);  // (I, J): minus [V, e_J]^I
  for (int J = 0; J < V_here.size(); ++J) bracket.col(J) += dV[J];
  const Matrix<S, N> turned = g * bracket;
  const Matrix<S, N> L_V = derivative_along(frame, q, V_here, metric) + turned + turned.transpose();

  const auto spatial = V_here.size() - 1;
  const auto greatest = [](const auto& values) {
    S most(0);
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      for (Eigen::Index j = 0; j < values.cols(); ++j)
        most = torsor::max_or_nan(most, torsor::abs(S(values(i, j))));
    }
    return most;
  };
  Scleronomicity<S, n> report;
  report.S1 = L_V.topLeftCorner(spatial, spatial);
  report.S2.resize(spatial);
  for (int i = 0; i < spatial; ++i) report.S2[i] = dg_VV[i];
  report.scaled_S1 = greatest(report.S1) * time_scale / greatest(g.topLeftCorner(spatial, spatial));
  report.scaled_S2 = greatest(report.S2) / torsor::abs(g_VV(q));
  return report;
}

/// The greatest scaled residuals over events, which should cover part of the motion.
template <class S>
struct TimeDependence {
  S mass, potential;  ///< scaled_S1, scaled_S2

  bool removable(const S& tolerance) const { return mass <= tolerance && potential <= tolerance; }
};
template <class Frame, class Metric, class Points, class S>
TimeDependence<S> time_dependence(const Frame& frame, const Metric& metric, const Points& points,
                                  const S& time_scale) {
  TimeDependence<S> worst{S(0), S(0)};
  for (const auto& q : points) {
    const auto here = scleronomicity(frame, metric, q, time_scale);
    worst.mass = torsor::max_or_nan(worst.mass, here.scaled_S1);
    worst.potential = torsor::max_or_nan(worst.potential, here.scaled_S2);
  }
  return worst;
}

/// The residual of the further conditions on another connection, in a chart with a standard basis: the
/// greatest of |L(0, i, j)|, |L(i, 0, 0)|, |L(K, 0, j)|, |L(K, j, 0)|, |dL(k, i, j)/dt| and
/// |dL(0, 0, 0)/dq|, with 0 for time and i, j, k spatial. Paraskevopoulos, Natsiavas, (85)-(87).
template <int N, class Affinities, class S>
S splitting_residual(const Connection<CoordinateFrame<N>, Affinities>& connection, const Vector<S, N>& q) {
  const auto L = connection.affinities(q);
  const auto dL = frame_derivatives(connection.frame, q, connection.affinities);
  const int n = static_cast<int>(q.size()) - 1;
  S most(0);
  const auto see = [&](const S& residual) { most = torsor::max_or_nan(most, torsor::abs(residual)); };
  for (int i = 0; i < n; ++i) {
    see(L(i, n, n));
    see(dL[i](n, n, n));
    for (int j = 0; j < n; ++j) {
      see(L(n, i, j));
      for (int k = 0; k < n; ++k) see(dL[n](k, i, j));
    }
    for (int K = 0; K <= n; ++K) see(L(K, n, i)), see(L(K, i, n));
  }
  return most;
}

}  // namespace torsor::geometry
