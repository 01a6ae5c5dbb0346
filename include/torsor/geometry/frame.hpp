#pragma once

#include "torsor/geometry/detail/solve.hpp"
#include "torsor/geometry/field.hpp"
#include "torsor/lie/lie_group.hpp"

namespace torsor::geometry {

/// A basis field e_1 ... e_n. Velocities v = v^i e_i are stored by their components.
///
///   dof                         n, or Eigen::Dynamic
///   size(q)                     n at run time
///   moved(q, v)                 q + eps v, eps^2 = 0, over dual numbers: the derivative part of
///                               f(moved(q, v)) is v(f)
///   structure_coefficients(q)   c in [e_i, e_j] = c(k, i, j) e_k
///   velocity(q, v)              the velocity that a stepper uses: q' in a chart, g^-1 g' on a group
template <class F, class Point>
concept FrameAt = requires(const F& frame, const Point& q, const Vector<typename Point::Scalar, F::dof>& v) {
  { frame.size(q) } -> std::convertible_to<int>;
  frame.moved(q, v);
  frame.structure_coefficients(q);
  frame.velocity(q, v);
};

/// The coordinate vectors of a chart: e_i = d/dq^i; their brackets vanish. On an event manifold time is the
/// last coordinate.
template <int N>
struct CoordinateFrame {
  static constexpr int dof = N;

  template <class S>
  static int size(const Vector<S, N>& q) {
    return static_cast<int>(q.size());
  }
  template <class S>
  static Vector<Dual<S>, N> moved(const Vector<S, N>& q, const Vector<S, N>& v) {
    return with_derivative(q, v);
  }
  template <class S>
  static Tensor3<S, N> structure_coefficients(const Vector<S, N>& q) {
    return Tensor3<S, N>(size(q));
  }
  template <class S>
  static Vector<S, N> velocity(const Vector<S, N>&, const Vector<S, N>& v) {
    return v;
  }
};

/// The left-invariant vectors of a group: e_i(f)(g) = d/ds f(g exp(s e_i)) at s = 0, with the group's own
/// structure coefficients. R^3 x SO(3) as Product<Rn<3>, SO3<>> is the direct product, SE3<> the semi-direct.
template <LieGroup G>
struct LeftInvariantFrame {
  static constexpr int dof = G::dof;
  template <class S>
  using Element = typename G::template Over<S>;
  template <class S>
  using Components = Vector<S, G::dof>;

  template <class Point>
  static int size(const Point&) {
    return dof;
  }
  template <class Point>
  static auto moved(const Point& g, const typename Point::Tangent& v) {
    using S = typename Point::Scalar;
    using Moved = Element<Dual<S>>;
    S stored[G::nq];
    Dual<S> still[G::nq];
    g.to(stored);
    for (int i = 0; i < G::nq; ++i) still[i] = stored[i];
    return Moved::from(still) * Moved::exp(with_derivative(Components<S>::Constant(S(0)).eval(), v));
  }
  template <class Point>
  static auto structure_coefficients(const Point&) {
    static const auto c = constants<RealOf<typename Point::Scalar>>();
    return c.template cast<typename Point::Scalar>();
  }
  template <class Point>
  static typename Point::Tangent velocity(const Point&, const typename Point::Tangent& v) {
    return v;
  }

 private:
  template <class Real>
  static Tensor3<Real, dof> constants() {
    Tensor3<Real, dof> c;
    for (int i = 0; i < dof; ++i) c.along(i) = Element<Real>::ad(Components<Real>::Unit(i));
    return c;
  }
};

/// The span of m fields, columns of the n x m matrix E(q) whose components are taken in a frame b.
template <int m, class Frame, class Basis>
struct Span {
  static constexpr int dof = m;
  Frame frame;
  Basis basis;

  template <class Point>
  using Components = Vector<typename Point::Scalar, m>;

  template <class Point>
  int size(const Point& q) const {
    return m == Eigen::Dynamic ? static_cast<int>(basis(q).cols()) : m;
  }
  template <class Point>
  auto moved(const Point& q, const Components<Point>& v) const {
    return frame.moved(q, below(q, v));
  }
  template <class Point>
  auto velocity(const Point& q, const Components<Point>& v) const {
    return frame.velocity(q, below(q, v));
  }
  /// The components of v in the frame b.
  template <class Point>
  Vector<typename Point::Scalar, Frame::dof> below(const Point& q, const Components<Point>& v) const {
    return basis(q) * v;
  }

  /// With c the coefficients of b,
  ///
  ///   [e_i, e_j] = (e_i(E(a, j)) - e_j(E(a, i)) + c(a, p, d) E(p, i) E(d, j)) b_a
  ///
  /// as column j of the i-th matrix.
  template <class Point>
  auto brackets(const Point& q) const {
    using S = typename Point::Scalar;
    using Column = Vector<S, Frame::dof>;
    using Columns = Matrix<S, Frame::dof, m>;
    const Columns E = basis(q);
    const auto c = frame.structure_coefficients(q);
    PerDirection<Columns, m> derivative(E.cols()), bracket(E.cols());
    for (int i = 0; i < E.cols(); ++i) derivative[i] = derivative_along(frame, q, Column(E.col(i)), basis);
    for (int i = 0; i < E.cols(); ++i) {
      bracket[i] = derivative[i] + c.along(Column(E.col(i))) * E;
      for (int j = 0; j < E.cols(); ++j) bracket[i].col(j) -= derivative[j].col(i);
    }
    return bracket;
  }
};

/// The frame e_i = E(a, i) b_a of a regular matrix field E(q). In a chart, BasisOver{CoordinateFrame<3>(), E}
/// is the frame whose vectors are the columns of E.
template <class Frame, class Basis>
struct BasisOver : Span<Frame::dof, Frame, Basis> {
  BasisOver(const Frame& b, const Basis& E) : Span<Frame::dof, Frame, Basis>{b, E} {}

  template <class Point>
  auto structure_coefficients(const Point& q) const {
    using S = typename Point::Scalar;
    const auto bracket = this->brackets(q);
    Tensor3<S, Frame::dof> below(bracket.size());
    for (int i = 0; i < below.size(); ++i) below.along(i) = bracket[i];
    return solve(Matrix<S, Frame::dof>(this->basis(q)), below);
  }
};

/// The distribution that m fields N(q) span, with a metric g. Brackets of the fields need not lie in the
/// distribution. The structure coefficients are those of the g-orthogonal projections of the brackets:
///
///   c(r, i, j) = g_A^-1(r, s) N_s . g [N_i, N_j],   g_A = N^T g N
template <int m, class Frame, class Basis, class Metric>
struct Distribution : Span<m, Frame, Basis> {
  Metric metric;
  Distribution(const Frame& b, const Basis& N, const Metric& g) : Span<m, Frame, Basis>{b, N}, metric(g) {}

  template <class Point>
  auto structure_coefficients(const Point& q) const {
    using S = typename Point::Scalar;
    const Matrix<S, Frame::dof, m> N = this->basis(q);
    const Matrix<S, m, Frame::dof> Ng = N.transpose() * metric(q);
    const auto bracket = this->brackets(q);
    Tensor3<S, m> lowered(bracket.size());
    for (int i = 0; i < lowered.size(); ++i) lowered.along(i) = Ng * bracket[i];
    return solve(Matrix<S, m>(Ng * N), lowered);
  }
};

template <int m, class Frame, class Basis, class Metric>
Distribution<m, Frame, Basis, Metric> distribution(const Frame& frame, const Basis& basis,
                                                   const Metric& metric) {
  return {frame, basis, metric};
}

}  // namespace torsor::geometry
