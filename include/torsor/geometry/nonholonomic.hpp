#pragma once

#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/constrained_point.hpp"

/// Motion with constraints A(q) v = 0 that need not be integrable. Without forces it follows the
/// autoparallels of a connection that the constraints determine. D = ker A. Gzenda, Chhabra, arXiv
/// 2408.00095, (4)-(15), with forces f = -dV + F.
namespace torsor::geometry {

/// The field of the projectors P_perp = C A on the orthogonal complement of D.
template <class Metric, class Rows>
struct NormalProjector {
  Metric metric;
  Rows rows;

  template <class Point>
  auto operator()(const Point& q) const {
    return constrained_point(metric(q), rows(q)).P_perp();
  }
};
template <class Metric, class Rows>
NormalProjector(Metric, Rows) -> NormalProjector<Metric, Rows>;

template <class Base, class Metric, class Rows>
struct NonholonomicAffinities {
  Base connection;
  NormalProjector<Metric, Rows> P_perp;

  template <class Point>
  auto operator()(const Point& q) const {
    auto L = connection.affinities(q);
    const auto P = P_perp(q);
    const auto d = frame_derivatives(connection.frame, q, P_perp);
    for (int i = 0; i < L.size(); ++i) {
      const auto L_i = L.along(i).eval();
      L.along(i) += d[i] + L_i * P - P * L_i;
    }
    return L;
  }
};

/// nabla^nh_X Y = nabla_X Y + (nabla_X P_perp) Y. It preserves D: for Y in D it is P nabla_X Y. The motion
/// under the covector f is nabla^nh_v v = P G^-1 f. In a frame of D, the coefficients of nabla^nh
/// are those of strong_affinities. `connection` is usually the Christoffel connection of the metric.
template <class Frame, class Affinities, class Metric, class Rows>
auto nonholonomic_connection(const Connection<Frame, Affinities>& connection, const Metric& metric,
                             const Rows& rows) {
  using Base = Connection<Frame, Affinities>;
  return Connection{connection.frame, NonholonomicAffinities<Base, Metric, Rows>{connection, {metric, rows}}};
}

/// lambda = -(nabla_v P_perp) v - P_perp G^-1 f = G^-1 A^T Lambda for v in D: the acceleration, orthogonal to
/// D, that the constraints add to the motion, nabla_v v = lambda + G^-1 f. The same paper, (15).
template <class Frame, class Affinities, class Metric, class Rows, class Point, class Direction>
Direction constraint_acceleration(const Connection<Frame, Affinities>& connection, const Metric& metric,
                                  const Rows& rows, const Point& q, const Direction& v, const Direction& f) {
  const NormalProjector P_perp{metric, rows};
  const Direction free = solve(metric(q), f);
  return -(derivative_of_map(connection, q, v, P_perp) * v) - P_perp(q) * free;
}

}  // namespace torsor::geometry
