#pragma once

#include "torsor/geometry/detail/solve.hpp"
#include "torsor/geometry/frame.hpp"

namespace torsor {

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
  ///   [e_i, e_j] = (e_i(E(a, j)) - e_j(E(a, i)) + c(a, b, d) E(b, i) E(d, j)) b_a
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

/// The distribution that m fields N(q) span, with a metric g. Where brackets lead out of it,
/// structure_coefficients are *projected* ones, of the g-orthogonal projections of the brackets:
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

}  // namespace torsor
