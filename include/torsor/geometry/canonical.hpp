#pragma once

#include "torsor/geometry/connection.hpp"

namespace torsor::geometry {

/// The connections L = s c in the left-invariant frame of a group. All have the autoparallels g exp(t n):
///
///             s     torsion   curvature             parallel fields
///   minus     0     -c        0                     left-invariant
///   zero      1/2   0         -[[., .], .] / 4      -
///   plus      1     c         0                     right-invariant
///
/// `plus` is weakly compatible with every left-invariant metric, so it gives the motion of rigid bodies.
/// `minus` and `zero` give wrong accelerations unless the metric is bi-invariant. Nonlinear Dynamics 2023,
/// doi 10.1007/s11071-023-08326-9, (57), (98), (112); the family is due to Cartan and Schouten.
enum class Canonical { minus, zero, plus };

template <class Scalar>
Scalar canonical_factor(Canonical member) {
  return constant<Scalar>(member == Canonical::plus ? 1 : member == Canonical::zero ? 0.5L : 0);
}

template <LieGroup G>
auto canonical_connection(Canonical member = Canonical::plus) {
  const auto c = LeftInvariantFrame<G>::structure_coefficients(G::identity());
  return Connection{LeftInvariantFrame<G>(), Constant{canonical_factor<typename G::Scalar>(member) * c}};
}

/// The Killing form B(i, j) = c(k, i, l) c(l, j, k) = tr(ad_i ad_j) of a Lie algebra, which is invariant
/// under Ad. On SO(3), -B/2 is the bi-invariant metric
///
///   g(Omega, Omega') = -tr(Omega~ Omega'~) / 2 = Omega . Omega'
///
/// Modugno, Vitolo, The geometry of Newton's law and rigid systems (2005), (4.19). On SE(3) B vanishes where
/// one vector is a translation, and on rotations it is twice that of SO(3).
template <class S, int N>
Matrix<S, N> killing_form(const Tensor3<S, N>& c) {
  const int n = c.size();
  Matrix<S, N> B = Matrix<S, N>::Constant(n, n, S(0));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        for (int l = 0; l < n; ++l) B(i, j) += c(k, i, l) * c(l, j, k);
      }
    }
  }
  return B;
}

/// The multiple of a metric b that is nearest to a metric g, in the norm of the map A = b^-1 g: factor =
/// tr A / n, distance = |A - factor I| / |A|, |A|^2 = tr(A A). The distance is 0 if g = factor b. A
/// left-invariant metric of SO(3) is bi-invariant if and only if it is a multiple of -B/2, which means that
/// the inertia is spherical. The canonical connection `zero` is then its Christoffel connection.
template <class S>
struct NearestMultiple {
  S factor, distance;
};
template <class S, int N>
NearestMultiple<S> nearest_multiple(const Matrix<S, N>& g, const Matrix<S, N>& b) {
  const Matrix<S, N> A = solve(b, g);
  const auto n = A.rows();
  const S factor = A.trace() / S(static_cast<double>(n));
  const Matrix<S, N> rest = A - factor * Matrix<S, N>::Identity(n, n);
  const S all = (A * A).trace(), part = (rest * rest).trace() / torsor::select(all > S(0), all, S(1));
  return {factor, torsor::sqrt(torsor::max_or_nan(S(0), part))};
}

/// The rates of a point and of a vector: `velocity` is the rate of the point (q' in a chart, g^-1 g' on a
/// group), `rate` is the rate of the components of the vector.
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

}  // namespace torsor::geometry

/// Parallel transport of a vector u along curves: u'^k = -L(k, i, j) v^i u^j where v is the curve's velocity.
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (122)-(129), (133)-(138).
namespace torsor::geometry {

/// The rate of the components of u.
template <class Frame, class Affinities, class Point>
Vector<typename Point::Scalar, Frame::dof> transport_rate(
    const Connection<Frame, Affinities>& connection, const Point& q,
    const Vector<typename Point::Scalar, Frame::dof>& v,
    const Vector<typename Point::Scalar, Frame::dof>& u) {
  return -connection.affinities(q)(v, u);
}

/// Transport by the canonical connection `plus`, along any curve from g_0 to g. It keeps the spatial
/// components: u = Ad(g^-1) Ad(g_0) u_0.
template <LieGroup G>
typename G::Tangent transport(const G& g_0, const G& g, const typename G::Tangent& u_0) {
  return (g.inverse() * g_0).Ad(u_0);
}

/// Transport by any connection L = s c of the family, along the autoparallel g_0 exp(t n):
/// u(t) = exp(-s t ad_n) u_0 = Ad(exp(-s t n)) u_0.
template <LieGroup G>
typename G::Tangent transport_along_autoparallel(Canonical member, const typename G::Tangent& n,
                                                 const typename G::Scalar& t,
                                                 const typename G::Tangent& u_0) {
  using Scalar = typename G::Scalar;
  const Scalar st = canonical_factor<Scalar>(member) * t;
  return G::exp(typename G::Tangent(-st * n)).Ad(u_0);
}

}  // namespace torsor::geometry
