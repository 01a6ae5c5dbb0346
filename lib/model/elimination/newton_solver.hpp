#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "model/kkt.hpp"

namespace torsor {

/// The equations of a Newton step of an implicit method, at linear cost,
///
///   [ M  -B^T ] [ x ]   [ r ]
///   [ C    0  ] [ y ] = [ s ],
///
/// B and C with the blocks of A in `KktSolver`, each with its own numbers; M unsymmetric, with blocks on the
/// diagonal and between bodies that share a constraint or are listed (springs). Block elimination in the
/// order of `KktSolver`, as near to symmetric pivots as the matrix is to a symmetric one: the rows of B and C
/// of one pivot go together, the greatest in parts of its terms first. Rows left over are redundant, and y is
/// 0 there.
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
  /// B and C: blocks in the order of the constraints and of their bodies, row-major. All must stay as they
  /// are until the last `solve`. Throws EvaluationError: singular where a body's block is, non_finite where a
  /// number is none.
  void factor(const double* M_diagonal, const double* M_pairs, const double* B, const double* C);
  /// Refined by residuals: stiff springs between bodies take digits from pivots, and give them back here.
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
