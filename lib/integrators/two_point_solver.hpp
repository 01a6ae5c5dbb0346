#pragma once

#include "torsor/integrators/constrained_system.hpp"

namespace torsor {

/// Finds x and y with  M x - A^T y = r at the state `at` and the time t  and  A x = s at the nearby point
/// (t_rows, q_rows), for the stages of half-explicit methods. Iterates with
/// ConstrainedSystem::solve_with_mass at the state `at`; each pass multiplies the error by the relative
/// difference of the rows between the two points.
class TwoPointSolver {
 public:
  /// Solves to rounding: changes of x are measured relative to unit + |x|. Throws EvaluationError
  /// (newton_failed, or singular near a loss of rank) if the iteration does not converge. x and y must have
  /// their sizes.
  void solve(const ConstrainedSystem& system, double t, const State& at, double t_rows, const Vec& q_rows,
             const Vec& r, const Vec& s, double unit, Vec& x, Vec& y);

 private:
  Vec zero_, left_, change_;
};

}  // namespace torsor
