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
/// f with the inertial terms (f - b). `acceleration` of System is that of index 1: it solves
///
///   [ G  -A^T ] [ v'     ]   [ f     ]
///   [ A   0   ] [ lambda ] = [ -gamma],     gamma = dA/dt v + da0/dt.
///
/// Rows may be redundant; multipliers are then those of least norm. The defaults of the operations below the
/// line are dense and by differences, for small systems; a system of many bodies overrides them. All of them
/// rest on `solve`, save the two of Newton's method, and its factors are kept until (t, q) changes.
/// Evaluations may throw EvaluationError (singular, constraint_lost, callback_failed); results may be
/// non-finite. Outputs may be inputs.
///
/// Hairer, Wanner, Solving ODEs II, VII.1; Udwadia, Kalaba, Proc. R. Soc. A 439 (1992) 407-410.
class ConstrainedSystem : public System {
 public:
  ConstrainedSystem();
  ~ConstrainedSystem() override;

  /// Condition of the constraints in the last evaluation against that of the first, 1 where nobody knows.
  virtual double conditioning() const { return 1; }
  /// Whether they are close to a place where they lose rank: accelerations across them are mostly rounding.
  bool near_rank_loss() const { return conditioning() > nearly_lost; }
  static constexpr double nearly_lost = 30;
  /// Name of the constraint in which that was the worst of a step.
  virtual std::string worst_conditioned() const { return {}; }
  /// The error that rounding leaves in each component of the last acceleration, estimated, in units of v'. It
  /// is great where forces of constraints cancel almost completely on a light body. 0 if it is not known.
  virtual void acceleration_rounding(VecOut out) const { out.setZero(); }
  /// Name of the body with the greatest such error.
  virtual std::string most_rounded_body() const { return {}; }
  /// Linear systems that its own solver gave up, and a general one has solved.
  virtual long general_solutions() const { return 0; }

  const ConstrainedSystem* with_tangent() const override { return rows() > 0 ? this : nullptr; }

  virtual int rows() const = 0;                            ///< m
  virtual const std::vector<char>& holonomic() const = 0;  ///< which rows have phi

  virtual void force(double t, VecIn q, VecIn v, VecOut f) const = 0;
  virtual void metric_times(double t, VecIn q, VecIn w, VecOut out) const = 0;       ///< G w
  virtual void constraint_times(double t, VecIn q, VecIn w, VecOut out) const = 0;   ///< A w
  virtual void reaction(double t, VecIn q, VecIn lambda, VecOut out) const = 0;      ///< A^T lambda
  virtual void position_residual(double t, VecIn q, VecOut phi) const = 0;           ///< 0 in other rows
  virtual void velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const = 0;  ///< A v + a0
  virtual void constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const = 0;  ///< gamma

  /// G a - f - A^T lambda.
  virtual void imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const;

  // ---- with dense defaults

  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  virtual void acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const;

  /// x, y of  G x - A^T y = r,  A x = s  at (t, q); y of least norm. `singular` where s contradicts the rows,
  /// or G is not positive definite.
  virtual void solve(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const;

  /// The same for one pass of an iteration that looks at its residual again: the matrix may be that of a
  /// state next to (t, q), met earlier in the step.
  virtual void solve_nearby(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const {
    solve(t, q, r, s, x, y);
  }

  /// x, y of  G x - A^T y = r at (t, q),  A x = s at the nearby point (t_rows, q_rows), as the stages of
  /// half-explicit methods have them: by repetition of `solve` at (t, q).
  virtual void solve_between(double t, VecIn q, double t_rows, VecIn q_rows, VecIn r, VecIn s, VecOut x,
                             VecOut y) const;

  /// Moves q along the metric until phi(q, t) = 0 to rounding: q <- q exp(xi), G xi = A^T y, A xi = -phi.
  /// A is that of all rows: phi is 0 where a row is not holonomic, so that the way there keeps to such rows.
  /// `constraint_lost` when it does not get there, q then being anywhere. Returns whether q moved by more
  /// than rounding.
  virtual bool project_position(double t, VecOut q) const;
  /// v <- v + G^-1 A^T y with A v + a0 = 0 at (t, q).
  virtual void project_velocity(double t, VecIn q, VecOut v) const;

  /// Prepares the iteration matrix of implicit methods at a point: for small changes a += da, v += c_v da, q
  /// <- q exp(T(xi) c_q da), lambda += dl, with T the left-trivialised derivative of exp at xi,
  ///
  ///   [ d(G a - f - A^T lambda)   ]   [ G + c_v D + c_q K T    -A^T ] [ da ]
  ///   [ d(A v + a0)  or  d(phi)   ] = [ c_v A + c_q Z T          0  ] [ dl ]    (Z = d(A v + a0)/dq)
  ///
  /// `level` says which second row: velocity (all rows) or position (c_q A T for holonomic rows, the velocity
  /// row divided by c_v / c_q elsewhere so that blocks keep one scale).
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
  /// da, dl for the residuals r (n) and s (m) of the two rows above (a solution step is a -= da, ...).
  virtual void solve_newton(VecIn r, VecIn s, VecOut da, VecOut dl) const;

  /// At the end of a main step that was accepted: false where it went without rows that do not depend on the
  /// others there. The system knows better from then on, and the step is to be taken again.
  virtual bool end_step(double, VecIn) const { return true; }
  /// The sentence that names a near loss of rank of the constraints in the last evaluation, wherever the run
  /// began: half of the digits of their multipliers are gone. Empty where nothing does.
  virtual std::string rank_doubt() const { return {}; }

 private:
  void factor(double t, VecIn q) const;
  void tangent_column(const Linearisation& at, int j) const;

  struct Dense;
  std::unique_ptr<Dense> dense_;
};

}  // namespace torsor
