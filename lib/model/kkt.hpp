#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace torsor {

/// The bodies that each constraint acts on. This graph determines the elimination order of the equations.
struct KktGraph {
  struct Constraint {
    int rows = 0;
    std::vector<int> bodies;  ///< one block each
    /// Whether the constraint also resists a common rigid motion of its bodies. A constraint on one body
    /// always does.
    bool grounded = false;
    /// Pairs (body, constraint): the constraint is a joint of the body, and if no other constraint acts on
    /// the body, the row of this constraint moves the body in a freedom of that joint. Only for constraints
    /// of one row, which come after their joints; otherwise KktSolver throws std::invalid_argument.
    std::vector<std::pair<int, int>> moves = {};
    /// The body that this joint connects to its parent in the spanning tree; -1: no such joint. The rows of
    /// such a joint act on the body and the parent alone. They should be independent and always act, because
    /// they may define coordinates.
    int joint_of = -1;
  };
  std::vector<int> parent;  ///< for each body, its parent in a spanning tree; -1: the ground
  std::vector<Constraint> constraints;
};

/// Solves the saddle-point equations of a mechanism at linear cost:
///
///   [ G  -A^T ] [ x ]   [ r ]
///   [ A    0  ] [ y ] = [ s ],
///
/// G has one 6x6 block for each body, symmetric positive definite (world axes, linear part first, which is
/// diagonal and not coupled to the angular part; the angular block of a particle must be the identity). A has
/// one block of rows x 6 for each body of each constraint.
///
/// The method is a signed block factorisation L D L^T with D > 0 on bodies and D < 0 on constraints. The
/// order of elimination keeps the fill small: nodes without fill first, then the node of least degree, and
/// among equal nodes the joint to the ground of a body with several joints, then the node farthest from the
/// ground. In a tree the elimination runs from leaf to root; pivots are then sums of positive terms, without
/// cancellation. A constraint is eliminated only when its rows, with the remaining bodies held fixed, are as
/// independent as in the mechanism. A tree has no fill; a ladder of N loops has a fill of O(N) for any
/// spanning tree, and so do N planet gears around a sun. Vanderbei, Symmetric quasidefinite matrices, SIAM J.
/// Optim. 5 (1995); Baraff, Linear-time dynamics using Lagrange multipliers, SIGGRAPH 1996.
///
/// Bodies in loops whose joints from the ground to the body have at most six freedoms in total enter with the
/// coordinates of these joints as unknowns; the rows of the joints are then never redundant, and their growth
/// is 1. If these coordinates are inaccurate, because the rows of a joint nearly depend on each other, the
/// masses differ by many decades or a gear moves a light body, the velocities of all bodies are the unknowns.
///
/// A row is redundant if its scalar pivot is below 100 eps times its doubt. The doubt estimates the rounding
/// error of the pivot, divided by eps: it is the sum of the terms of the pivot and of the doubts of the
/// earlier rows that the elimination combines with this row. The factorisation leaves redundant rows out. Of
/// all multipliers with the same A^T y, `solve` returns the multipliers with the least sum (w_i y_i)^2.
///
/// If iterative refinement does not converge, a general sparse factorisation (Eigen's SparseLU) solves the
/// equations; `general_solutions` counts these cases.
///
/// One object serves one thread. The arguments of a call must not overlap. After the first `factor`, `solve`
/// and `least_norm`, only the following allocate memory: the general factorisation, the first factorisation
/// without joint coordinates, and the first least norm in which a redundant row depends on other loops.
class KktSolver {
 public:
  /// A row is redundant if its pivot is below this fraction of its doubt.
  static constexpr double redundant_below = 100 * std::numeric_limits<double>::epsilon();

  explicit KktSolver(KktGraph graph);
  ~KktSolver();
  KktSolver(KktSolver&&) noexcept;
  KktSolver& operator=(KktSolver&&) noexcept;

  int bodies() const;
  int rows() const;

  /// Sets the weights w_i > 0 of the least norm, one for each row, and the `length` > 0 of the lever arms in
  /// A, in the unit of A. The initial values are 1. The new values take effect with the next `factor`.
  void set_row_scale(const std::vector<double>& w, double length);

  /// G: 36 numbers for each body, row-major; only the lower triangle is read. A: the blocks in the order of
  /// the constraints and of their bodies, row-major. Do not change G and A before the last `solve`. Throws
  /// EvaluationError: singular if G is not positive definite, non_finite if a number is not finite.
  void factor(const double* G, const double* A);

  enum class Multipliers {
    least_norm,  ///< the least norm of all solutions; redundant rows raise its cost by 50 to 100 %
    any,         ///< 0 in redundant rows
  };
  /// Computes x (6 numbers for each body) and y (one for each row). Iterative refinement, where it is needed,
  /// runs until x converges. Redundant rows of s that contradict the other rows are ignored and listed in
  /// `contradictory`.
  void solve(const double* r, const double* s, double* x, double* y,
             Multipliers which = Multipliers::least_norm) const;
  /// `factor` and `solve` in less time.
  void factor_and_solve(const double* G, const double* A, const double* r, const double* s, double* x,
                        double* y, Multipliers which = Multipliers::least_norm);
  /// Replaces y by the y' of least norm with A^T y' = A^T y.
  void least_norm(double* y) const;

  /// Over rows, 1 where the row depends on the rows eliminated before it.
  const std::vector<char>& redundant() const;
  int redundant_rows() const;
  /// Redundant rows whose residual after the last `solve` exceeds 1e-6 of their terms, in ascending order.
  const std::vector<int>& contradictory() const;

  /// Greatest ratio of a row's size to its pivot over the rows that are not redundant; 1 without rows. It is
  /// a lower estimate of the condition number of A G^-1 A^T scaled to unit diagonal: y has a relative
  /// rounding error of about this ratio times 2e-16. The caller decides which ratio means a singular
  /// configuration.
  double pivot_growth() const;
  int pivot_growth_row() const;  ///< the row with this ratio, -1 if no ratio is above 1
  /// True if constraints close loops, so that rows of one constraint can depend on rows of others. Also true
  /// for a constraint between two free bodies, which the elimination does not pair with one of them.
  bool has_loops() const;
  /// The ratio by row, 0 in redundant rows.
  const std::vector<double>& row_growth() const;
  /// Whether the last factorisation has joint coordinates as unknowns. The ratios of its rows then differ
  /// from those for the velocities of all bodies.
  bool uses_coordinates() const;
  int passes() const;              ///< refinements in the last `solve`
  long general_solutions() const;  ///< solutions by the general factorisation since construction

  /// Count of the numbers stored in the factor, and of the multiplications that compute it. They measure the
  /// quality of the elimination order.
  long factor_size() const;
  long factor_cost() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace torsor
