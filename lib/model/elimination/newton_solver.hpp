#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "model/kkt.hpp"

namespace torsor {

/// Solves the equations of a Newton step of an implicit method at linear cost:
///
///   [ M  -B^T ] [ x ]   [ r ]
///   [ C    0  ] [ y ] = [ s ].
///
/// B and C have the block structure of A in `KktSolver`, each with its own numbers. M is not symmetric; it
/// has blocks on the diagonal, and between bodies that share a constraint or that `extra_pairs` lists
/// (springs).
///
/// The method is block elimination with the ordering rules of `KktSolver`. All pivots are on the diagonal:
/// row i of C is eliminated together with row i of B. Within a constraint, the row whose pivot is greatest
/// relative to its size comes first. A row is redundant if its pivot is within rounding errors; y is 0 there.
///
/// One object serves one thread. After the first factor and solve there is no allocation.
class NewtonSolver {
 public:
  explicit NewtonSolver(const KktGraph& graph, const std::vector<std::pair<int, int>>& extra_pairs = {});
  ~NewtonSolver();
  NewtonSolver(NewtonSolver&&) noexcept;
  NewtonSolver& operator=(NewtonSolver&&) noexcept;

  int bodies() const;
  int rows() const;
  /// Pairs (a, b), a < b, ascending, for which M has blocks: bodies with a common constraint, and the extra
  /// ones.
  const std::vector<std::pair<int, int>>& pairs() const;

  /// M_diagonal: 36 numbers a body, row-major; M_pairs: block (a, b), then block (b, a), for each of `pairs`;
  /// B and C: blocks in the order of the constraints and of their bodies, row-major. Do not change the arrays
  /// before the last `solve`. Throws EvaluationError: singular if the block of a body is singular, non_finite
  /// if a number is not finite.
  void factor(const double* M_diagonal, const double* M_pairs, const double* B, const double* C);
  /// Computes x and y, with iterative refinement: stiff springs between bodies make the pivots less accurate,
  /// and the refinement corrects this.
  void solve(const double* r, const double* s, double* x, double* y) const;

  const std::vector<char>& redundant() const;  ///< over rows
  double pivot_growth() const;                 ///< as in `KktSolver`
  int pivot_growth_row() const;
  int passes() const;  ///< refinements of the last `solve`

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace torsor
