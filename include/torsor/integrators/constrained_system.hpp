#pragma once

#include <memory>
#include <vector>

#include "torsor/integrators/status.hpp"
#include "torsor/integrators/system.hpp"

namespace torsor {

/// A mechanical system on a Lie group under m constraint rows, in flat vectors:
///
///   q' = q v,   G(q, t) v' = f(t, q, v) + A(q, t)^T lambda,   A v + a0 = 0,   phi(q, t) = 0 (holonomic),
///
/// where f contains the inertial terms (f - b). `acceleration` of System is that of index 1: it solves
///
///   [ G  -A^T ] [ v'     ]   [ f     ]
///   [ A   0   ] [ lambda ] = [ -gamma],     gamma = dA/dt v + da0/dt.
///
/// Rows may be redundant; the multipliers are then those of least norm. The operations with dense defaults
/// use dense matrices and differences, for small systems; a system of many bodies overrides them. All of
/// them use `solve`, except factor_newton and solve_newton. The factors of `solve` are kept until (t, q)
/// changes. Evaluations may throw EvaluationError (singular, constraint_lost, callback_failed); results may
/// be non-finite. Outputs may be inputs.
///
/// Hairer, Wanner, Solving ODEs II, VII.1; Udwadia, Kalaba, Proc. R. Soc. A 439 (1992) 407-410.
class ConstrainedSystem : public System {
 public:
  ConstrainedSystem();
  ~ConstrainedSystem() override;

  /// Condition of the constraints relative to that at the start of the run: the worst of all evaluations
  /// since begin_step. 1 if the system does not know it.
  virtual double conditioning() const { return 1; }
  /// Whether the state is near a position where the constraints lose rank. The accelerations normal to the
  /// constraints are then mostly rounding error.
  bool near_rank_loss() const { return conditioning() > nearly_lost; }
  static constexpr double nearly_lost = 30;
  /// Name of the constraint with the worst condition since begin_step.
  virtual std::string worst_conditioned() const { return {}; }
  /// Estimated rounding error of each component of the last acceleration, in units of v'. It is large where
  /// constraint forces cancel almost completely on a light body. 0 if it is not known.
  virtual void acceleration_rounding(VecOut out) const { out.setZero(); }
  /// Name of the body with the greatest such error.
  virtual std::string most_rounded_body() const { return {}; }
  /// Number of linear systems that the system's own solver failed to solve and a general solver solved.
  virtual long general_solutions() const { return 0; }

  const ConstrainedSystem* with_tangent() const override { return rows() > 0 ? this : nullptr; }

  virtual int rows() const = 0;                            ///< m
  virtual const std::vector<char>& holonomic() const = 0;  ///< which rows are holonomic (have phi)

  virtual void force(double t, VecIn q, VecIn v, VecOut f) const = 0;
  virtual void metric_times(double t, VecIn q, VecIn w, VecOut out) const = 0;       ///< G w
  virtual void constraint_times(double t, VecIn q, VecIn w, VecOut out) const = 0;   ///< A w
  virtual void reaction(double t, VecIn q, VecIn lambda, VecOut out) const = 0;      ///< A^T lambda
  virtual void position_residual(double t, VecIn q, VecOut phi) const = 0;           ///< 0 if nonholonomic
  virtual void velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const = 0;  ///< A v + a0
  virtual void constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const = 0;  ///< gamma

  /// G a - f - A^T lambda.
  virtual void imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const;

  // ---- operations with dense defaults

  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  virtual void acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const;

  /// Finds x and y with  G x - A^T y = r,  A x = s  at (t, q), y of least norm. Throws `singular` if s
  /// contradicts the redundant rows or if G is not positive definite.
  virtual void solve(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const;

  /// The same for one pass of an iteration that evaluates its residual again. The matrix may therefore be
  /// that of a state near (t, q) from earlier in the step.
  virtual void solve_nearby(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const {
    solve(t, q, r, s, x, y);
  }

  /// Finds x and y with  G x - A^T y = r at (t, q)  and  A x = s at the nearby point (t_rows, q_rows), for
  /// the stages of half-explicit methods. Iterates with `solve` at (t, q).
  virtual void solve_between(double t, VecIn q, double t_rows, VecIn q_rows, VecIn r, VecIn s, VecOut x,
                             VecOut y) const;

  /// Moves q along the metric until phi(q, t) = 0 to rounding: q <- q exp(xi), G xi = A^T y, A xi = -phi.
  /// A has all rows. phi is 0 in nonholonomic rows, so xi satisfies A xi = 0 in them. Throws
  /// `constraint_lost` if the iteration does not converge; q is then undefined. Returns whether q moved by
  /// more than rounding.
  virtual bool project_position(double t, VecOut q) const;
  /// v <- v + G^-1 A^T y such that A v + a0 = 0 at (t, q).
  virtual void project_velocity(double t, VecIn q, VecOut v) const;

  /// Prepares the iteration matrix of implicit methods at a point, for small changes a += da, v += c_v da,
  /// q <- q exp(T(xi) c_q da), lambda += dl, with T the left-trivialised derivative of exp at xi:
  ///
  ///   [ d(G a - f - A^T lambda)   ]   [ G + c_v D + c_q K T    -A^T ] [ da ]
  ///   [ d(A v + a0)  or  d(phi)   ] = [ c_v A + c_q Z T          0  ] [ dl ]    (Z = d(A v + a0)/dq)
  ///
  /// `level` selects the second row of blocks. velocity: the row as shown, for all constraint rows. position:
  /// c_q A T for holonomic rows, and c_q / c_v times the velocity row for nonholonomic rows, so that all rows
  /// have the same scale.
  enum class Level { velocity, position };
  struct Linearisation {
    double t;
    const State& x;
    const Vec& a;
    const Vec& lambda;
    const Vec& xi;
    double c_v, c_q;
    Level level;
  };
  virtual void factor_newton(const Linearisation& at) const;
  /// Finds da and dl for the residuals r (size nv) and s (size m) of the two rows of blocks above. An
  /// iteration then applies a -= da, lambda -= dl.
  virtual void solve_newton(VecIn r, VecIn s, VecOut da, VecOut dl) const;

  /// Called at the end of an accepted main step. False if the step left out rows as redundant that are not
  /// redundant at its end. The system then has a new choice of rows, and the caller takes the step again.
  virtual bool end_step(double, VecIn) const { return true; }
  /// A message that names the constraints that nearly lost rank in the last evaluation, whatever their
  /// condition at the start of the run: half of the digits of their multipliers are lost. Empty if none did.
  virtual std::string rank_doubt() const { return {}; }

 private:
  void factor(double t, VecIn q) const;
  void tangent_column(const Linearisation& at, int j) const;

  struct Dense;
  std::unique_ptr<Dense> dense_;
};

}  // namespace torsor
