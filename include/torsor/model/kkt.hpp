#pragma once

#include <limits>
#include <memory>
#include <vector>

namespace torsor {

/// Which constraint touches which bodies: what the elimination order of a mechanism's equations follows from.
struct KktGraph {
  struct Constraint {
    int rows = 0;
    std::vector<int> bodies;  ///< one block each
    bool grounded = false;  ///< also resists a common rigid motion of its bodies (one body alone always does)
  };
  std::vector<int> parent;  ///< one a body, in a spanning tree, -1 the ground: where floating parts hang
  std::vector<Constraint> constraints;
};

/// The saddle-point equations of a mechanism at linear cost,
///
///   [ G  -A^T ] [ x ]   [ r ]
///   [ A    0  ] [ y ] = [ s ],
///
/// G block-diagonal over the bodies, 6x6 symmetric positive definite each (world axes, linear part first; a
/// particle comes with the identity as its angular block), A with one block of rows x 6 for each body that a
/// constraint touches.
///
/// Signed block factorisation L D L^T; D > 0 on bodies, < 0 on constraints. Bodies and constraints are
/// interleaved by fill, and where that leaves a choice from far off towards the ground: a node with one
/// neighbour left goes first (from leaf to root in a tree: pivots are then sums of positive terms, free of
/// cancellation), else the one of least degree; a constraint never before its row is as independent, with the
/// bodies that are left held fast, as it is in the mechanism. A tree has no fill, a ladder of N loops one of
/// O(N), whatever its spanning tree. Vanderbei, Symmetric quasidefinite matrices, SIAM J. Optim. 5 (1995);
/// Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996.
///
/// Rows whose scalar pivot falls below 100 eps of its terms, each with its own loss of digits, depend on the
/// others and are left out; of the multipliers that then give the same A^T y, `solve` returns those with
/// least sum (w_i y_i)^2.
///
/// Where refinement by residuals does not bring x to rest, a general sparse factorisation (Eigen's SparseLU)
/// solves instead; `general_solutions` counts that.
///
/// One object serves one thread. After the first factor and solve there is no allocation, that case aside.
class KktSolver {
 public:
  /// A row is redundant when its pivot is below this part of its terms.
  static constexpr double redundant_below = 100 * std::numeric_limits<double>::epsilon();

  explicit KktSolver(KktGraph graph);
  ~KktSolver();
  KktSolver(KktSolver&&) noexcept;
  KktSolver& operator=(KktSolver&&) noexcept;

  int bodies() const;
  int rows() const;

  /// Weights w_i > 0 of the least norm, one a row; 1 at first. Takes effect with the next `factor`.
  void set_row_scale(const std::vector<double>& w);

  /// G: 36 numbers a body, row-major, of which the lower triangle is read. A: the blocks in the order of the
  /// constraints and of their bodies, row-major. Both must stay as they are until the last `solve`. Throws
  /// EvaluationError: singular where G is not positive definite, non_finite where a number is none.
  void factor(const double* G, const double* A);

  enum class Multipliers {
    least_norm,  ///< of all that solve the equations; one more factorisation where rows are redundant
    any,         ///< 0 in redundant rows
  };
  /// x (6 a body), y (a row), refined by residuals of the equations themselves until x stands still. Rows of
  /// s that contradict the others do not stop it: they are listed in `contradictory` and left unmet.
  void solve(const double* r, const double* s, double* x, double* y,
             Multipliers which = Multipliers::least_norm) const;
  /// y becomes the shortest y' with A^T y' = A^T y.
  void least_norm(double* y) const;

  /// Over rows, 1 where the row depends on those eliminated before it.
  const std::vector<char>& redundant() const;
  int redundant_rows() const;
  /// Redundant rows that the last `solve` left unmet by more than 1e-6 of their terms.
  const std::vector<int>& contradictory() const;

  /// Greatest ratio of a row's size to its pivot, redundant rows aside: a lower estimate of the condition of
  /// A G^-1 A^T with unit diagonal; beyond 1e12 no more than two digits of y can be trusted. `singular` is
  /// for the caller to say. 1 without rows.
  double pivot_growth() const;
  int pivot_growth_row() const;  ///< where it is reached, -1 without rows
  /// Whether constraints close loops, so that one can take from another.
  bool has_loops() const;
  /// The ratio by row, 0 in redundant rows.
  const std::vector<double>& row_growth() const;
  int passes() const;              ///< refinements of the last `solve`
  long general_solutions() const;  ///< since the beginning

  /// Numbers stored in the factor, and multiplications to compute it: what the elimination order is judged
  /// by.
  long factor_size() const;
  long factor_cost() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace torsor
