#pragma once

#include "torsor/geometry/connection.hpp"

/// Connections that give the motion on a manifold M under ideal constraints. The constrained space M_A is a
/// submanifold of M or a distribution on M. Its velocities are v = N u with N(q), n x m, and its metric is
/// g_A = N^T g N.
///
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (16)-(21). In (18) the two directions of the
/// bracket are exchanged. This has no effect there, since both are contracted with the velocity.
namespace torsor::geometry {

/// The strong condition: L_A is the g-orthogonal projection of the connection L of M, which is unique. d[i] =
/// N_i(N) is the derivative along column i.
///
///   L_A(r, i, a) = g_A^-1(r, b) N(j, b) (d[i](k, a) g_kj + N(k, i) N(p, a) L(l, k, p) g_lj)
///
/// The projection of a metric connection is metric. The projection of a torsion-free connection is
/// torsion-free if the brackets are projected too (Distribution).
template <class S, int n, int m>
Tensor3<S, m> strong_affinities(const Tensor3<S, n>& L, const Matrix<S, n>& g, const Matrix<S, n, m>& N,
                                const PerDirection<Matrix<S, n, m>, m>& d) {
  const Matrix<S, m, n> Ng = N.transpose() * g;
  Tensor3<S, m> lowered(static_cast<int>(N.cols()));
  for (int i = 0; i < lowered.size(); ++i)
    lowered.along(i) = Ng * (d[i] + L.along(Vector<S, n>(N.col(i))) * N);
  return solve(Matrix<S, m>(Ng * N), lowered);
}

/// The affinities L in the basis of the vectors unit_i e_i, with constant factors unit_i.
template <class S, int n>
Tensor3<S, n> in_scaled_basis(Tensor3<S, n> L, const Vector<S, n>& unit) {
  for (int k = 0; k < L.size(); ++k)
    for (int i = 0; i < L.size(); ++i)
      for (int j = 0; j < L.size(); ++j) L(k, i, j) *= unit[i] * unit[j] / unit[k];
  return L;
}

/// How M_A lies in M: a frame of M_A, the map of points of M_A into M, and the vectors of that frame as
/// columns of components in the frame of M. For a distribution on M, `place` is the identity and `frame` is a
/// Distribution.
template <class Frame, class Place, class Basis>
struct Inclusion {
  Frame frame;
  Place place;
  Basis basis;
};
template <class Frame, class Place, class Basis>
Inclusion(Frame, Place, Basis) -> Inclusion<Frame, Place, Basis>;

/// M_A by coordinates a: q = place(a) in a chart of M, N = dq/da. n and m are the dimensions.
template <int n, int m, class Place>
auto embedding(const Place& place) {
  const auto tangents = [place]<class S>(const Vector<S, m>& a) {
    const auto columns = frame_derivatives(CoordinateFrame<m>(), a, place);
    Matrix<S, n, m> N(columns[0].size(), a.size());
    for (int i = 0; i < N.cols(); ++i) N.col(i) = columns[i];
    return N;
  };
  return Inclusion{CoordinateFrame<m>(), place, tangents};
}

/// g_A = N^T g N as a field on M_A.
template <class... Parts, class Metric>
auto induced_metric(const Inclusion<Parts...>& inclusion, const Metric& metric) {
  return [inclusion, metric](const auto& a) {
    using S = typename std::decay_t<decltype(a)>::Scalar;
    const auto N = inclusion.basis(a);
    constexpr int m = std::decay_t<decltype(N)>::ColsAtCompileTime;
    return Matrix<S, m>(N.transpose() * metric(inclusion.place(a)) * N);
  };
}

/// The strong connection on M_A.
template <class Frame, class Place, class Basis, class FrameM, class Affinities, class Metric>
auto strong_connection(const Inclusion<Frame, Place, Basis>& inclusion,
                       const Connection<FrameM, Affinities>& connection, const Metric& metric) {
  return Connection{inclusion.frame, [inclusion, connection, metric](const auto& a) {
                      const auto q = inclusion.place(a);
                      return strong_affinities(connection.affinities(q), metric(q), inclusion.basis(a),
                                               frame_derivatives(inclusion.frame, a, inclusion.basis));
                    }};
}

/// The weak condition on a connection L of M_A: for every velocity it gives the same motion as the strong
/// connection L_A if and only if
///
///   W(a, i, j) = g_rj D(r, i, a) + g_ri D(r, j, a) = 0,   D = L - L_A
template <class S, int m>
Tensor3<S, m> weak_residual(const Tensor3<S, m>& L, const Tensor3<S, m>& strong, const Matrix<S, m>& g) {
  const int n = L.size();
  const Tensor3<S, m> D = L - strong;
  Tensor3<S, m> W(n);
  for (int i = 0; i < n; ++i) {
    const Matrix<S, m> gD = g * D.along(i);  // (j, a)
    for (int j = 0; j < n; ++j) {
      for (int a = 0; a < n; ++a) {
        W(a, i, j) += gD(j, a);
        W(a, j, i) += gD(j, a);
      }
    }
  }
  return W;
}

/// All solutions of the weak condition: L(r, i, a) = L_A(r, i, a) + g^-1(r, b) s(a, i, b), where s may be any
/// array that is antisymmetric in its last two indices.
template <class S, int m>
Tensor3<S, m> weak_member(const Tensor3<S, m>& strong, const Matrix<S, m>& g, const Tensor3<S, m>& s) {
  const int n = s.size();
  Tensor3<S, m> raised(n);
  for (int i = 0; i < n; ++i) {
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) raised(b, i, a) = s(a, i, b);
    }
  }
  return strong + solve(g, raised);
}

/// The greatest entry of weak_residual relative to max|g| max|L| (weak), and the greatest entry of L - strong
/// relative to max|L| (strong). max|L| is the greatest affinity of both connections.
template <class S>
struct CompatibilityReport {
  S weak, strong;
};
template <class S, int m>
CompatibilityReport<S> compatibility(const Tensor3<S, m>& L, const Tensor3<S, m>& strong,
                                     const Matrix<S, m>& g) {
  const auto greatest = [](const auto& values) {
    S most(0);
    for (Eigen::Index i = 0; i < values.size(); ++i)
      most = torsor::max_or_nan(most, torsor::abs(S(values.coeff(i))));
    return most;
  };
  const S greatest_L = torsor::max(greatest(L.flat()), greatest(strong.flat()));
  const S g_scale = greatest(g.reshaped());
  const auto relative = [](const S& residual, const S& scale) {
    return torsor::select(scale > S(0), S(residual / torsor::select(scale > S(0), scale, S(1))), residual);
  };
  return {relative(greatest(weak_residual(L, strong, g).flat()), S(g_scale * greatest_L)),
          relative(greatest((L - strong).flat()), greatest_L)};
}

}  // namespace torsor::geometry
