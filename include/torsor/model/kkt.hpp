#pragma once

#include <limits>
#include <memory>
#include <vector>

namespace torsor {

/// The bodies that each constraint acts on. They determine the elimination order of the equations.
struct KktGraph {
  struct Constraint {
    int rows = 0;
    std::vector<int> bodies;  ///< one block each
    bool grounded = false;    ///< also resists a common rigid motion of its bodies; always true for one body
  };
  std::vector<int> parent;  ///< for each body, its parent in a spanning tree; -1: the ground
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
/// Signed block factorisation L D L^T with D > 0 on bodies and D < 0 on constraints. The order of elimination
/// minimises fill, and prefers nodes far from the ground if the fill is equal: a node with one remaining
/// neighbour goes first (from leaf to root in a tree: pivots are then sums of positive terms, without
/// cancellation), otherwise the node of least degree. A constraint is eliminated only when its rows, with the
/// remaining bodies held fixed, are as independent as in the mechanism. A tree has no fill, a ladder of N
/// loops has a fill of O(N) for any spanning tree. Vanderbei, Symmetric quasidefinite matrices, SIAM J.
/// Optim. 5 (1995); Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996.
///
/// A row is redundant if its scalar pivot is below 100 eps times its terms (each with its loss of digits).
/// Redundant rows are left out; of all multipliers with the same A^T y, `solve` returns those with the least
/// sum (w_i y_i)^2.
///
/// If iterative refinement does not converge, a general sparse factorisation (Eigen's SparseLU) solves the
/// equations; `general_solutions` counts these cases.
///
/// One object serves one thread. After the first factor and solve only this case allocates memory.
class KktSolver {
 public:
  /// A row is redundant if its pivot is below this fraction of its terms.
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
  /// EvaluationError: singular if G is not positive definite, non_finite if a number is not finite.
  void factor(const double* G, const double* A);

  enum class Multipliers {
    least_norm,  ///< of all solutions; needs one more factorisation if rows are redundant
    any,         ///< 0 in redundant rows
  };
  /// x (6 numbers for each body) and y (one for each row), with iterative refinement until x converges.
  /// Redundant rows of s that contradict the others are ignored and listed in `contradictory`.
  void solve(const double* r, const double* s, double* x, double* y,
             Multipliers which = Multipliers::least_norm) const;
  /// y becomes the shortest y' with A^T y' = A^T y.
  void least_norm(double* y) const;

  /// Over rows, 1 where the row depends on those eliminated before it.
  const std::vector<char>& redundant() const;
  int redundant_rows() const;
  /// Redundant rows whose residual after the last `solve` exceeds 1e-6 of their terms.
  const std::vector<int>& contradictory() const;

  /// Greatest ratio of a row's size to its pivot, redundant rows aside: a lower estimate of the condition of
  /// A G^-1 A^T with unit diagonal; beyond 1e12 at most two digits of y are reliable. The caller decides what
  /// is singular. 1 without rows.
  double pivot_growth() const;
  int pivot_growth_row() const;  ///< the row with this ratio, -1 without rows
  /// Whether constraints close loops, so that one can depend on others.
  bool has_loops() const;
  /// The ratio by row, 0 in redundant rows.
  const std::vector<double>& row_growth() const;
  int passes() const;              ///< refinements of the last `solve`
  long general_solutions() const;  ///< since the beginning

  /// Numbers stored in the factor, and multiplications to compute it: the measures of the elimination order.
  long factor_size() const;
  long factor_cost() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace torsor
