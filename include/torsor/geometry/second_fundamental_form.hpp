#pragma once

#include "torsor/geometry/connection.hpp"
#include "torsor/geometry/constrained_point.hpp"

/// The acceleration that constraint rows require. A(q) is a field of k x n matrices, whose rows are covectors
/// in the frame of the connection. Modugno, Vitolo, The geometry of Newton's law and rigid systems (2005),
/// 2.2, for any A.
namespace torsor::geometry {

/// nabla_X A = X(A) - A L_X, row by row.
template <class Frame, class Affinities, class Point, class Direction, class Rows>
auto derivative_of_rows(const Connection<Frame, Affinities>& connection, const Point& q, const Direction& X,
                        const Rows& rows) {
  using Matrix = ValueAt<Rows, Point>;
  return Matrix(derivative_along(connection.frame, q, X, rows) - rows(q) * connection.affinities(q).along(X));
}

/// For velocities v with A v = 0: N(v) = P_perp nabla_v v = -C (nabla_v A) v, with the Christoffel connection
/// of the metric: the acceleration normal to ker A that the constraints need, m/s^2 or rad/s^2. The
/// reaction under the applied force f is A^T Lambda = G N(v) - P_perp^T f.
template <class Frame, class Affinities, class Metric, class Rows, class Point, class Direction>
Direction second_fundamental_form(const Connection<Frame, Affinities>& connection, const Metric& metric,
                                  const Rows& rows, const Point& q, const Direction& v) {
  const auto point = constrained_point(metric(q), rows(q));
  return -(point.C * (derivative_of_rows(connection, q, v, rows) * v));
}

/// The same where the constraints are x^r = 0 for the last n - l coordinates of a chart, which need not be
/// orthogonal to the others. Indices a, b, c, d run over the first l coordinates, r over the last; g is the
/// kinetic metric, masses included, and g_con the inverse of its first l x l block. Modugno, Vitolo, 2.2 and
/// (2.3).
template <class S, int n, int l>
struct AdaptedChart {
  static constexpr int normals = n == Eigen::Dynamic || l == Eigen::Dynamic ? Eigen::Dynamic : n - l;
  Matrix<S, n> g;
  Matrix<S, l, normals>
      tilt;  ///< g_con^ab g_br: d_r - tilt^a_r d_a is orthogonal to the constrained manifold

  /// The part of X along the constrained manifold, (X^a + X^r tilt^a_r) d_a.
  Vector<S, n> tangential(const Vector<S, n>& X) const {
    Vector<S, n> part = Vector<S, n>::Constant(X.size(), S(0));
    part.head(tilt.rows()) = X.head(tilt.rows()) + tilt * X.tail(tilt.cols());
    return part;
  }
  /// X^r (d_r - tilt^a_r d_a).
  Vector<S, n> normal(const Vector<S, n>& X) const { return X - tangential(X); }
  /// The part of a covector that annihilates the constrained manifold, (w_r - w_a tilt^a_r) d^r.
  Vector<S, n> normal_covector(const Vector<S, n>& w) const {
    Vector<S, n> part = Vector<S, n>::Constant(w.size(), S(0));
    part.tail(tilt.cols()) = w.tail(tilt.cols()) - tilt.transpose() * w.head(tilt.rows());
    return part;
  }
  /// w_a g_con^ab g_bi d^i, over all i: the covector on the whole space that is w along the constrained
  /// manifold and zero on the vectors orthogonal to it.
  Vector<S, n> extended(const Vector<S, l>& w) const {
    Vector<S, n> part(g.rows());
    part << w, tilt.transpose() * w;
    return part;
  }
  /// N = Gamma^r_bc y'^b y'^c (d_r - tilt^a_r d_a) with the Christoffel symbols of g.
  Vector<S, n> second_fundamental_form(const Tensor3<S, n>& Gamma, const Vector<S, l>& y_dot) const {
    return normal(bending(Gamma, y_dot));
  }
  /// R_r = (Gamma_arb - tilt^d_r Gamma_adb) y'^a y'^b - (F_r - tilt^a_r F_a), Gamma_aib = g_ij Gamma^j_ab.
  Vector<S, n> reaction(const Tensor3<S, n>& Gamma, const Vector<S, l>& y_dot, const Vector<S, n>& F) const {
    return normal_covector(g * bending(Gamma, y_dot) - F);
  }

 private:
  Vector<S, n> bending(const Tensor3<S, n>& Gamma, const Vector<S, l>& y_dot) const {
    Vector<S, n> v = Vector<S, n>::Constant(g.rows(), S(0));
    v.head(y_dot.size()) = y_dot;
    return Gamma(v, v);
  }
};

/// The number of coordinates along the constrained manifold is the fixed l, or `tangents` at run time.
template <int l, class S, int n>
AdaptedChart<S, n, l> adapted_chart(const Matrix<S, n>& g, Eigen::Index tangents = l) {
  using Chart = AdaptedChart<S, n, l>;
  const auto normals = g.rows() - tangents;
  const Matrix<S, l> g_l = g.topLeftCorner(tangents, tangents);
  const Matrix<S, l, Chart::normals> mixed = g.topRightCorner(tangents, normals);
  return {g, solve(g_l, mixed)};
}

}  // namespace torsor::geometry
