#pragma once

#include "torsor/geometry/frame.hpp"

/// Affine connections by their affinities, nabla_{e_i} e_j = L(k, i, j) e_k, and the tensors that follow.
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (3)-(13), (24), has the same order of indices.
///
///   const BasisOver frame{CoordinateFrame<3>(), E};       // columns of E(q) in a chart
///   const auto Gamma = christoffel(frame, metric);        // christoffel.hpp
///   const auto R = curvature(Gamma, q);                   // R(i, j, k, l)
namespace torsor::geometry {

/// A connection in a frame. affinities(q) gives L: a Constant in the frame, or any callable over points.
///
///   Connection{frame, affinities}
template <class Frame, class Affinities>
struct Connection {
  Frame frame;
  Affinities affinities;
};
template <class Frame, class Affinities>
Connection(Frame, Affinities) -> Connection<Frame, Affinities>;

/// t(k, i, j) = L(k, i, j) - L(k, j, i) - c(k, i, j).
template <class S, int N>
Tensor3<S, N> torsion(const Tensor3<S, N>& L, const Tensor3<S, N>& c) {
  Tensor3<S, N> t = L - c;
  const int n = L.size();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) t.along(i).col(j) -= L.along(j).col(i);
  }
  return t;
}

namespace internal {

/// R(e_k, e_l) = [L_k, L_l] - c(m, k, l) L_m + change(k, l), with L_k the matrix of nabla_{e_k}.
/// Antisymmetric in k and l, so half of it is computed.
template <class S, int N, class Change>
Tensor4<S, N> curvature(const Tensor3<S, N>& L, const Tensor3<S, N>& c, const Change& change) {
  const int n = L.size();
  Tensor4<S, N> R(n);
  for (int k = 0; k < n; ++k) {
    for (int l = k + 1; l < n; ++l) {
      auto R_kl = R.along(k, l);
      R_kl.noalias() = L.along(k) * L.along(l);
      R_kl.noalias() -= L.along(l) * L.along(k);
      for (int m = 0; m < n; ++m) R_kl -= c(m, k, l) * L.along(m);
      change(R_kl, k, l);
      R.along(l, k) = -R_kl;
    }
  }
  return R;
}

}  // namespace internal

/// R(i, j, k, l) = e_k(L(i, l, j)) - e_l(L(i, k, j)) + L(i, k, m) L(m, l, j) - L(i, l, m) L(m, k, j)
/// - c(m, k, l) L(i, m, j), with d[k] = e_k(L).
template <class S, int N>
Tensor4<S, N> curvature(const Tensor3<S, N>& L, const PerDirection<Tensor3<S, N>, N>& d,
                        const Tensor3<S, N>& c) {
  return internal::curvature(L, c, [&](auto& R_kl, int k, int l) { R_kl += d[k].along(l) - d[l].along(k); });
}
/// The same where the affinities are constant in the frame.
template <class S, int N>
Tensor4<S, N> curvature(const Tensor3<S, N>& L, const Tensor3<S, N>& c) {
  return internal::curvature(L, c, [](auto&, int, int) {});
}

/// D(k, i, j) = (nabla_{e_k} g)(e_i, e_j) = e_k(g_ij) - g_li L(l, k, j) - g_lj L(l, k, i), with d[k] =
/// e_k(g).
template <class S, int N>
Tensor3<S, N> non_metricity(const Tensor3<S, N>& L, const Matrix<S, N>& g,
                            const PerDirection<Matrix<S, N>, N>& d) {
  const int n = L.size();
  Tensor3<S, N> D(n);
  for (int k = 0; k < n; ++k) {
    const Matrix<S, N> gL = g * L.along(k);
    const Matrix<S, N> D_k = d[k] - gL - gL.transpose();
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) D(k, i, j) = D_k(i, j);
    }
  }
  return D;
}

/// Torsion, curvature and non-metricity of a connection at the point q.
template <class Frame, class Affinities, class Point>
auto torsion(const Connection<Frame, Affinities>& connection, const Point& q) {
  return torsion(connection.affinities(q), connection.frame.structure_coefficients(q));
}
template <class Frame, class Affinities, class Point>
auto curvature(const Connection<Frame, Affinities>& connection, const Point& q) {
  const auto& [frame, affinities] = connection;
  const auto c = frame.structure_coefficients(q);
  if constexpr (is_constant_field<Affinities>)
    return curvature(affinities(q), c);
  else
    return curvature(affinities(q), frame_derivatives(frame, q, affinities), c);
}
template <class Frame, class Affinities, class Metric, class Point>
auto non_metricity(const Connection<Frame, Affinities>& connection, const Metric& metric, const Point& q) {
  return non_metricity(connection.affinities(q), metric(q), frame_derivatives(connection.frame, q, metric));
}

}  // namespace torsor::geometry
