#pragma once

#include "torsor/geometry/connection.hpp"

namespace torsor::geometry {

/// The generalized Christoffel symbols of a metric in any frame, with d[k] = e_k(g):
///
///   g_kl G(k, i, j) = (e_j(g_li) + e_i(g_lj) - e_l(g_ij)) / 2
///                   + (c(m, l, i) g_jm + c(m, l, j) g_im + c(m, i, j) g_lm) / 2
///
/// They are metric compatible and have no torsion, so by Koszul's formula they are the affinities of the
/// Levi-Civita connection. This connection has curvature unless the metric is flat. Nonlinear Dynamics 2023,
/// doi 10.1007/s11071-023-08326-9, (42)-(46).
template <class S, int N>
Tensor3<S, N> christoffel_symbols(const Matrix<S, N>& g, const PerDirection<Matrix<S, N>, N>& d,
                                  const Tensor3<S, N>& c) {
  const int n = c.size();
  Tensor3<S, N> gc(n), lowered(n);  // gc(l, i, j) = g_lm c(m, i, j)
  gc.columns().noalias() = g * c.columns();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int l = 0; l < n; ++l) {
        lowered(l, i, j) =
            S(0.5) * (d[j](l, i) + d[i](l, j) - d[l](i, j) + gc(j, l, i) + gc(i, l, j) + gc(l, i, j));
      }
    }
  }
  return solve(g, lowered);
}

/// Affinities by christoffel_symbols at each point.
template <class Frame, class Metric>
struct ChristoffelAffinities {
  Frame frame;
  Metric metric;

  template <class Point>
  auto operator()(const Point& q) const {
    return christoffel_symbols(metric(q), frame_derivatives(frame, q, metric),
                               frame.structure_coefficients(q));
  }
};

/// The Christoffel connection of a metric field whose components are taken in the frame.
template <class Frame, class Metric>
auto christoffel(const Frame& frame, const Metric& metric) {
  return Connection{frame, ChristoffelAffinities<Frame, Metric>{frame, metric}};
}

}  // namespace torsor::geometry

/// Covariant derivatives along a vector v, by components in the frame of the connection. L_v is the matrix
/// v^i L(k, i, j).
namespace torsor::geometry {

/// (nabla_v u)^k = u'^k + L(k, i, j) v^i u^j along a curve with velocity v. Nonlinear Dynamics 2023, doi
/// 10.1007/s11071-023-08326-9, (26).
template <class S, int N>
Vector<S, N> covariant_rate(const Tensor3<S, N>& L, const Vector<S, N>& v, const Vector<S, N>& u,
                            const Vector<S, N>& u_dot) {
  return u_dot + L.along(v) * u;
}
/// (nabla_v p)_i = p'_i - L(k, j, i) v^j p_k of a covector: (9) of the same paper.
template <class S, int N>
Vector<S, N> covariant_rate_of_covector(const Tensor3<S, N>& L, const Vector<S, N>& v, const Vector<S, N>& p,
                                        const Vector<S, N>& p_dot) {
  return p_dot - L.along(v).transpose() * p;
}

/// nabla_v of a vector field u(q), of a covector field p(q), and of a field T(q) of linear maps:
/// v(T) + L_v T - T L_v.
template <class Frame, class Affinities, class Point, class Field>
auto derivative_of_vector(const Connection<Frame, Affinities>& connection, const Point& q,
                          const ValueAt<Field, Point>& v, const Field& u) {
  return covariant_rate(connection.affinities(q), v, u(q), derivative_along(connection.frame, q, v, u));
}
template <class Frame, class Affinities, class Point, class Field>
auto derivative_of_covector(const Connection<Frame, Affinities>& connection, const Point& q,
                            const ValueAt<Field, Point>& v, const Field& p) {
  return covariant_rate_of_covector(connection.affinities(q), v, p(q),
                                    derivative_along(connection.frame, q, v, p));
}
template <class Frame, class Affinities, class Point, class Direction, class Field>
auto derivative_of_map(const Connection<Frame, Affinities>& connection, const Point& q, const Direction& v,
                       const Field& map) {
  using Map = ValueAt<Field, Point>;
  const Map L_v = connection.affinities(q).along(v), T = map(q);
  return Map(derivative_along(connection.frame, q, v, map) + L_v * T - T * L_v);
}

/// A map h(q, w) of vectors w at q to vectors at q, which may be nonlinear in w. Along a curve with velocity
/// v,
///
///   nabla_v (h(w)) = horizontal_derivative(v) + vertical_derivative(nabla_v w)
///   horizontal = v(h) + L_v h - (dh/dw) L_v w,   vertical(z) = (dh/dw) z
///
/// Gzenda, Chhabra, arXiv 2408.00095, (28)-(33).
template <class Frame, class Affinities, class Point, class Direction, class Map>
Direction horizontal_derivative(const Connection<Frame, Affinities>& connection, const Point& q,
                                const Direction& v, const Direction& w, const Map& h) {
  const auto L_v = connection.affinities(q).along(v);
  const Direction transported = -(L_v * w);  // w's rate under parallel transport
  return derivative_part(h(connection.frame.moved(q, v), with_derivative(w, transported))) + L_v * h(q, w);
}
template <class Frame, class Affinities, class Point, class Direction, class Map>
Direction vertical_derivative(const Connection<Frame, Affinities>& connection, const Point& q,
                              const Direction& z, const Direction& w, const Map& h) {
  const Direction still = zero_like(z);
  return derivative_part(h(connection.frame.moved(q, still), with_derivative(w, z)));
}

}  // namespace torsor::geometry
