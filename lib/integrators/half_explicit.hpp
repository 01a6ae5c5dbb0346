#pragma once

#include <span>
#include <vector>

#include "integrators/two_point_solver.hpp"
#include "torsor/integrators/detail/turn_check.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// Coefficients of a partitioned half-explicit Runge-Kutta method.
struct HalfExplicitTable {
  int stages, order, embedded_order;
  std::span<const double> a;       ///< row after row, below the diagonal
  std::span<const double> c;       ///< sums of the rows of a
  std::span<const double> a_rows;  ///< a~ with its diagonal, row after row; the last row is b
  std::span<const double> c_rows;  ///< sums of the rows of a~
  std::span<const double> error;   ///< b minus the weights of the embedded solution; last: slope at the end
};

/// Half-explicit methods of Brasey, Hairer and Murua in the exponential chart. With k_j = dexp_inv(xi_j) V_j,
///
///   xi_i = h sum_{j<i} a_ij k_j,     Q_i = q exp(xi_i),       V_i = v + h sum_{j<i} a_ij V'_j,
///   M(Q_i, V_i) V'_i = f(Q_i, V_i) + A(Q_i)^T L_i    such that  A V + a0 = 0  at  q exp(xi)  where
///   xi = h sum_{j<=i} a~_ij k_j,    V = v + h sum_{j<=i} a~_ij V'_j.
///
/// Such a stage satisfies the constraints at the level of velocities, so it needs no time derivative of A. A
/// stage with a~_ii = 0 is explicit: V'_i is the acceleration of the index-1 equations. The point
/// (q exp(xi), V) of the last stage is the new state. The method is used with Projected, which projects the
/// positions onto the constraints. Without constraints it is the explicit method in the exponential chart.
///
/// hemk4: HEM4 of Brasey, Hairer, SIAM J. Numer. Anal. 30 (1993) 538-552. hemk5: the method over the pair of
/// Dormand and Prince, with its embedded solution, of Murua, Computing 59 (1997) 43-61. On groups: Arnold,
/// Cardona, Bruls, in: Structure-preserving Integrators in Nonlinear Structural Dynamics and Flexible
/// Multibody Dynamics, Springer 2016, 91-158.
class HalfExplicit final : public Stepper {
 public:
  explicit HalfExplicit(const HalfExplicitTable& table);

  int order() const override { return table_.order; }
  int embedded_order() const override { return table_.embedded_order; }
  long evaluations() const override { return evaluations_; }
  std::string message() const override { return message_; }
  StepStatus do_step(const System& system, State& x, double t, double h, Vec* error = nullptr) override;

 private:
  StepStatus step(const System& system, State& x, double t, double h, Vec* error);
  void stage(const System& system, const State& x, double t, double h, int i);
  void constrained_slope(const ConstrainedSystem& system, const State& x, double t, double h, int i);
  void estimate(const System& system, double t, double h, Vec& error);
  void resize(const System& system);

  HalfExplicitTable table_;
  TwoPointSolver solver_;
  TurnCheck turn_;
  State next_;
  std::vector<Vec> k_, v_dot_;
  Vec xi_, v_, q_, force_, psi_, lambda_, x_, end_;
  long evaluations_ = 0;
  std::string message_;
};

extern const HalfExplicitTable hemk4_table, hemk5_table;

}  // namespace torsor
