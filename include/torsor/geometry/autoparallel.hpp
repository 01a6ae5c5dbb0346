#pragma once

#include "torsor/geometry/canonical.hpp"

namespace torsor {

/// The rates of a point and a vector: `velocity` is that of the point (q' in a chart, g^-1 g' on a group),
/// `rate` that of the vector's components.
template <class Velocity, class Rate>
struct Motion {
  Velocity velocity;
  Rate rate;
};

/// The autoparallel with velocity n at q: n'^k = -L(k, i, j) n^i n^j. Geodesics are the autoparallels of the
/// Christoffel connection. Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (122)-(124).
template <class Frame, class Affinities, class Point>
auto autoparallel_motion(const Connection<Frame, Affinities>& connection, const Point& q,
                         const Vector<typename Point::Scalar, Frame::dof>& n) {
  using Components = Vector<typename Point::Scalar, Frame::dof>;
  const Components rate = -connection.affinities(q)(n, n);
  return Motion<decltype(connection.frame.velocity(q, n)), Components>{connection.frame.velocity(q, n), rate};
}

/// The autoparallel of every canonical connection of a group: g(t) = g exp(t n), with n constant.
template <LieGroup G>
G autoparallel(const G& g, const typename G::Tangent& n, const typename G::Scalar& t) {
  return g * G::exp(typename G::Tangent(t * n));
}

}  // namespace torsor
