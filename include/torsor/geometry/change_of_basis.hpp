#pragma once

#include "torsor/geometry/connection.hpp"

/// Components in the basis e_i' = A(i, i') e_i, whose vectors are the columns of A; B = A^-1. Torsion,
/// curvature and non-metricity are tensors; affinities are not. Nonlinear Dynamics 2023,
/// doi 10.1007/s11071-023-08326-9, (67)-(69); (70) holds here without the bracket term of the paper.
namespace torsor::geometry {

/// v = A v'.
template <class S, int N>
Vector<S, N> vector_in_basis(const Vector<S, N>& v, const Matrix<S, N>& A) {
  return solve(A, v);
}
template <class S, int N>
Vector<S, N> covector_in_basis(const Vector<S, N>& p, const Matrix<S, N>& A) {
  return A.transpose() * p;
}
template <class S, int N>
Matrix<S, N> metric_in_basis(const Matrix<S, N>& g, const Matrix<S, N>& A) {
  return A.transpose() * g * A;
}

/// t'(k', i', j') = B(k', k) A(i, i') A(j, j') t(k, i, j): a tensor with values in vectors, such as torsion.
template <class S, int N>
Tensor3<S, N> vector_valued_in_basis(const Tensor3<S, N>& t, const Matrix<S, N>& A) {
  Tensor3<S, N> below(t.size());
  for (int i = 0; i < t.size(); ++i) below.along(i) = t.along(Vector<S, N>(A.col(i))) * A;
  return solve(A, below);
}
/// R'(i', j', k', l') = B(i', i) A(j, j') A(k, k') A(l, l') R(i, j, k, l): a tensor whose first index is
/// upper, such as curvature.
template <class S, int N>
Tensor4<S, N> vector_valued_in_basis(const Tensor4<S, N>& R, const Matrix<S, N>& A) {
  const int n = R.size();
  const Matrix<S, N> B = inverse(A);
  Tensor4<S, N> changed(n);
  for (int k = 0; k < n; ++k) {
    for (int l = 0; l < n; ++l) {
      Matrix<S, N> R_kl = Matrix<S, N>::Constant(n, n, S(0));
      for (int r = 0; r < n; ++r) {
        for (int s = 0; s < n; ++s) R_kl += A(r, k) * A(s, l) * R.along(r, s);
      }
      changed.along(k, l) = B * R_kl * A;
    }
  }
  return changed;
}
/// D'(k', i', j') = A(k, k') A(i, i') A(j, j') D(k, i, j): a tensor with three lower indices, such as
/// non-metricity.
template <class S, int N>
Tensor3<S, N> covariant_in_basis(const Tensor3<S, N>& D, const Matrix<S, N>& A) {
  Tensor3<S, N> changed(D.size());
  for (int i = 0; i < D.size(); ++i) changed.along(i) = A.transpose() * D.along(Vector<S, N>(A.col(i))) * A;
  return changed;
}

/// L'(k', i', j') = B(k', k) A(i, i') A(j, j') L(k, i, j) + B(k', k) e_i'(A(k, j')), with d[i'] = e_i'(A).
template <class S, int N>
Tensor3<S, N> affinities_in_basis(const Tensor3<S, N>& L, const Matrix<S, N>& A,
                                  const PerDirection<Matrix<S, N>, N>& d) {
  Tensor3<S, N> below(L.size());
  for (int i = 0; i < L.size(); ++i) below.along(i) = L.along(Vector<S, N>(A.col(i))) * A + d[i];
  return solve(A, below);
}

/// The affinities of a connection in the basis A(q) over its frame.
template <class Frame, class Affinities, class Basis>
struct AffinitiesInBasis {
  BasisOver<Frame, Basis> frame;
  Affinities affinities;

  template <class Point>
  auto operator()(const Point& q) const {
    return affinities_in_basis(affinities(q), frame.basis(q), frame_derivatives(frame, q, frame.basis));
  }
};
template <class Frame, class Affinities, class Basis>
auto in_basis(const Connection<Frame, Affinities>& connection, const Basis& basis) {
  const BasisOver<Frame, Basis> frame(connection.frame, basis);
  return Connection{frame, AffinitiesInBasis<Frame, Affinities, Basis>{frame, connection.affinities}};
}

/// The inverse change: from the basis e = b E(q) of a connection to the frame b:
///   L_b(b_i) = (E L(b_i) - b_i(E)) E^-1.
template <class Frame, class Basis, class Affinities>
struct AffinitiesBelow {
  BasisOver<Frame, Basis> frame;
  Affinities affinities;

  template <class Point>
  auto operator()(const Point& q) const {
    using S = typename Point::Scalar;
    constexpr int N = Frame::dof;
    const Tensor3<S, N> L = affinities(q);
    const Matrix<S, N> E = frame.basis(q), B = inverse(E);
    const auto d = frame_derivatives(frame.frame, q, frame.basis);
    Tensor3<S, N> below(L.size());
    for (int i = 0; i < L.size(); ++i) below.along(i) = (E * L.along(Vector<S, N>(B.col(i))) - d[i]) * B;
    return below;
  }
};
template <class Frame, class Basis, class Affinities>
auto in_frame_below(const Connection<BasisOver<Frame, Basis>, Affinities>& connection) {
  return Connection{connection.frame.frame,
                    AffinitiesBelow<Frame, Basis, Affinities>{connection.frame, connection.affinities}};
}

}  // namespace torsor::geometry
