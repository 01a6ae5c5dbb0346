#pragma once

#include "torsor/geometry/canonical.hpp"

/// Parallel transport of a vector u along curves: u'^k = -L(k, i, j) v^i u^j where v is the curve's velocity.
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (122)-(129), (133)-(138).
namespace torsor {

/// The rate of the components of u.
template <class Frame, class Affinities, class Point>
Vector<typename Point::Scalar, Frame::dof> transport_rate(
    const Connection<Frame, Affinities>& connection, const Point& q,
    const Vector<typename Point::Scalar, Frame::dof>& v,
    const Vector<typename Point::Scalar, Frame::dof>& u) {
  return -connection.affinities(q)(v, u);
}

/// By the canonical connection `plus`, along any curve from g_0 to g: the spatial components stay as they
/// are, u = Ad(g^-1) Ad(g_0) u_0.
template <LieGroup G>
typename G::Tangent transport(const G& g_0, const G& g, const typename G::Tangent& u_0) {
  return (g.inverse() * g_0).Ad(u_0);
}

/// By any member L = s c, along the autoparallel g_0 exp(t n): u(t) = exp(-s t ad_n) u_0 = Ad(exp(-s t n))
/// u_0.
template <LieGroup G>
typename G::Tangent transport_along_autoparallel(Canonical member, const typename G::Tangent& n,
                                                 const typename G::Scalar& t,
                                                 const typename G::Tangent& u_0) {
  using Scalar = typename G::Scalar;
  const Scalar st = canonical_factor<Scalar>(member) * t;
  return G::exp(typename G::Tangent(-st * n)).Ad(u_0);
}

}  // namespace torsor
