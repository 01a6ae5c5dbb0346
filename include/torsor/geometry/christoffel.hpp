#pragma once

#include "torsor/geometry/connection.hpp"

namespace torsor {

/// The generalized Christoffel symbols of a metric in any frame, with d[k] = e_k(g):
///
///   g_kl G(k, i, j) = (e_j(g_li) + e_i(g_lj) - e_l(g_ij)) / 2
///                   + (c(m, l, i) g_jm + c(m, l, j) g_im + c(m, i, j) g_lm) / 2
///
/// Metric compatible and without torsion: the Levi-Civita connection, by Koszul's formula. It has curvature
/// unless the metric is flat. Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (42)-(46).
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

}  // namespace torsor
