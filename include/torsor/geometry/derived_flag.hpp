#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "torsor/geometry/constrained_point.hpp"
#include "torsor/geometry/frame.hpp"

namespace torsor::geometry {

/// The derived flag of constraint rows A(q) at a point,
///
///   I_0 = span of the rows,   I_j+1 = { theta in I_j : d theta = 0 modulo I_j },
///
/// where I_j annihilates D_j, D_0 = ker A and D_j+1 = D_j + [D_j, D_j]. The last term is spanned by
/// differentials: it is the holonomic part of the constraints, in whatever form they are written. All
/// constraints are holonomic (Frobenius) if I_1 = I_0. Bryant, Chern, Gardner, Goldschmidt, Griffiths,
/// Exterior Differential Systems, II.4.
struct DerivedFlag {
  std::vector<int> ranks;        ///< of I_0, I_1, ... up to the last term, decreasing
  std::vector<char> integrable;  ///< for each row: whether it lies in the last term
  Eigen::MatrixXd combinations;  ///< orthonormal rows c with c A in the last term or c A = 0

  bool holonomic() const { return ranks.size() == 1; }
};

namespace internal {

/// The choices made at the point itself: independent rows, the velocities that they determine, and the
/// brackets that widen each D_j.
struct FlagChoice {
  std::vector<int> rows, dependent;
  std::vector<std::vector<std::pair<int, int>>> pairs;
};

/// A smooth basis of D_level around the point.
template <int level, class Frame, class Rows>
struct FlagBasis {
  const Frame& frame;
  const Rows& rows;
  const FlagChoice& choice;

  template <class Point>
  auto operator()(const Point& q) const {
    using S = typename Point::Scalar;
    using Basis = Matrix<S, Frame::dof, Eigen::Dynamic>;
    if constexpr (level == 0) {
      const auto A = rows(q);
      Matrix<S, Eigen::Dynamic, Frame::dof> independent(choice.rows.size(), A.cols());
      for (Eigen::Index i = 0; i < independent.rows(); ++i)
        independent.row(i) = A.row(choice.rows[static_cast<std::size_t>(i)]);
      return Basis(partitioned_velocities(independent, choice.dependent));
    } else {
      const FlagBasis<level - 1, Frame, Rows> former{frame, rows, choice};
      const Basis narrow = former(q);
      const auto bracket =
          Span<Eigen::Dynamic, Frame, FlagBasis<level - 1, Frame, Rows>>{frame, former}.brackets(q);
      const auto& pairs = choice.pairs[level - 1];
      Basis wide(narrow.rows(), narrow.cols() + static_cast<Eigen::Index>(pairs.size()));
      wide.leftCols(narrow.cols()) = narrow;
      auto column = narrow.cols();
      for (const auto& [i, j] : pairs) wide.col(column++) = bracket[i].col(j);
      return wide;
    }
  }
};

/// Independent rows and columns, by elimination with full pivoting.
void choose_rows(const Eigen::MatrixXd& A, double tolerance, FlagChoice& choice);

/// Orthonormal columns with the span of the columns of N, which are independent.
Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& N);

/// Adds to the orthonormal columns K the columns of `brackets` whose part outside the span of K exceeds
/// `least`, the one farthest outside first. The result gives the pairs of these columns.
std::vector<std::pair<int, int>> add_outside(const Eigen::MatrixXd& brackets,
                                             std::vector<std::pair<int, int>> pairs, double least,
                                             Eigen::MatrixXd& K);

/// Enters the integrable rows of A and their combinations, where K has orthonormal columns that span the last
/// D_j.
void enter_last_term(const Eigen::MatrixXd& A, const Eigen::MatrixXd& K, double tolerance, DerivedFlag& flag);

/// Adds to the orthonormal columns K the brackets that lead out of their span, the one farthest outside
/// first. K is NaN if a bracket is not finite.
template <class Frame, class Point, class Basis>
std::vector<std::pair<int, int>> widening_pairs(const Frame& frame, const Point& q, const Basis& basis,
                                                double tolerance, Eigen::MatrixXd& K) {
  const Eigen::MatrixXd B = basis(q);
  const auto c = frame.structure_coefficients(q);
  const auto bracket = Span<Eigen::Dynamic, Frame, Basis>{frame, basis}.brackets(q);
  double scale = 0;  // greatest norm of the terms whose difference is a bracket
  Eigen::MatrixXd brackets(B.rows(), B.cols() * (B.cols() - 1) / 2);
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < B.cols(); ++i) {
    const Vector<double, Frame::dof> X = B.col(i);
    scale = torsor::max_or_nan(scale, derivative_along(frame, q, X, basis).norm());
    scale = torsor::max_or_nan(scale, (c.along(X) * B).norm());
    for (int j = 0; j < i; ++j) {
      brackets.col(static_cast<Eigen::Index>(pairs.size())) = bracket[i].col(j);
      pairs.emplace_back(i, j);
    }
  }
  if (!pairs.empty() && !std::isfinite(scale)) {
    K.setConstant(NAN);
    return {};
  }
  return add_outside(brackets, std::move(pairs), tolerance * scale, K);
}

/// Widens D_level, then the distributions after it.
template <int level, int depth, class Frame, class Rows, class Point>
void widen(const Frame& frame, const Rows& rows, const Point& q, double tolerance, FlagChoice& choice,
           Eigen::MatrixXd& K, std::vector<int>& ranks) {
  if constexpr (level < depth) {
    const FlagBasis<level, Frame, Rows> basis{frame, rows, choice};
    auto pairs = widening_pairs(frame, q, basis, tolerance, K);
    if (pairs.empty()) return;
    choice.pairs.push_back(std::move(pairs));
    ranks.push_back(static_cast<int>(K.rows() - K.cols()));
    if (ranks.back() > 0) widen<level + 1, depth>(frame, rows, q, tolerance, choice, K, ranks);
  }
}

}  // namespace internal

/// The flag at a point q in doubles, with the rows in the frame. Each term after the first may need one
/// derivative more than the term before; the flag needs at most as many derivatives as there are rows.
/// Nested dual numbers give these derivatives exactly. A bracket leads out of D_j if its part outside exceeds
/// `tolerance` times the greatest norm of the terms whose difference is a bracket. The flag is evaluated at
/// one point; if ranks may change, evaluate it at others too. If the rows or their derivatives are not finite
/// there, the flag is unknown: it has no ranks, no integrable rows and no combinations. If time is the last
/// coordinate of the frame, the rows are (A, a0).
template <class Frame, class Rows, class Point>
DerivedFlag derived_flag(const Frame& frame, const Rows& rows, const Point& q, double tolerance = 1e-9) {
  constexpr int depth = ValueAt<Rows, Point>::RowsAtCompileTime;
  static_assert(depth != Eigen::Dynamic, "the number of rows bounds the depth of the flag");
  const Eigen::MatrixXd A = rows(q);
  DerivedFlag unknown{
      {}, std::vector<char>(static_cast<std::size_t>(A.rows()), 0), Eigen::MatrixXd(0, A.rows())};
  if (!A.allFinite()) return unknown;
  internal::FlagChoice choice;
  internal::choose_rows(A, tolerance, choice);
  const Eigen::MatrixXd N = internal::FlagBasis<0, Frame, Rows>{frame, rows, choice}(q);
  Eigen::MatrixXd K = internal::orthonormal_columns(N);
  DerivedFlag flag;
  flag.ranks.push_back(static_cast<int>(choice.rows.size()));
  internal::widen<0, depth>(frame, rows, q, tolerance, choice, K, flag.ranks);
  if (!K.allFinite()) return unknown;
  internal::enter_last_term(A, K, tolerance, flag);
  return flag;
}

}  // namespace torsor::geometry
