#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/integrators/system.hpp"
#include "torsor/integrators/tangent.hpp"
#include "torsor/integrators/treatment.hpp"
#include "torsor/lie/status.hpp"

namespace torsor {

/// The choices that a system makes at the beginning of a main step and keeps for all stages of the step: the
/// dependent velocities, and the redundant rows that the system leaves out. So all stages have the same
/// field, and evaluations outside the main steps do not change the motion. The defaults are for a system
/// without choices.
class StepChoices {
 public:
  virtual ~StepChoices() = default;
  /// Called at the beginning of a run. Forgets the choices of earlier runs.
  virtual void begin_run() {}
  /// Called at the beginning (t, q) of each attempt of a main step, and of a side step near a singular
  /// configuration. Also resets Conditioning::condition.
  virtual void choose(double, VecIn) {}
  /// Called at the end of an accepted main step. False if the step left out rows as redundant that are not
  /// redundant at its end. The system then has a new choice of rows, and the caller takes the step again.
  virtual bool still_right(double, VecIn) { return true; }
  /// Called after a main step of fixed size, also if it failed. False if rows came near a loss of rank at a
  /// stage or at the end, but were not near it at the beginning: accelerations at stages off the constraints
  /// then had errors. The caller takes the step again. In the step after a call that returned false, the
  /// accelerations are those of the nearest states that satisfy the constraints.
  virtual bool stages_right() { return true; }
  /// Called at the end (t, q) of a run. Throws EvaluationError if rows that the last step left out contradict
  /// the others, as `choose` does at the beginning of a step.
  virtual void check_end(double, VecIn) {}
};

/// How well the constraints determine the motion. The defaults are for a system that does not know it.
class Conditioning {
 public:
  virtual ~Conditioning() = default;
  /// Condition of the constraints relative to that at the start of the run: the worst of all evaluations
  /// since the last StepChoices::choose.
  virtual double condition() const { return 1; }
  /// Name of the constraint with this condition.
  virtual std::string_view worst() const { return {}; }
  /// The constraint with this condition as a part of a mechanism.
  virtual Part worst_part() const { return {}; }
  /// A message that names the constraints that nearly lost rank in the last evaluation, whatever their
  /// condition at the start of the run: half of the digits of their multipliers are lost. Empty if none did.
  virtual std::string rank_doubt() const { return {}; }
  /// Whether the last evaluation shows that the start of the run was near a singular configuration: the pivot
  /// growth is below a thousandth of that at the start.
  virtual bool start_was_near() const { return false; }
  /// Number of linear systems that the system's own solver failed to solve and a general solver solved.
  virtual long general_solutions() const { return 0; }
  /// Estimated rounding error of each component of the last acceleration, without quadratures, in units of
  /// v', and the name of the body with the greatest error. The error is large where constraint forces cancel
  /// almost completely on a light body. 0 and no name if it is not known.
  virtual std::string_view acceleration_rounding(VecOut out) const {
    out.setZero();
    return {};
  }
  /// Whether the step since the last StepChoices::choose began in a singular configuration: rows that act in
  /// the step were redundant there.
  virtual bool began_singular() const { return false; }
  /// Calls visit(condition, V) for each group of closed loops whose condition since the last
  /// StepChoices::choose exceeds `above`. For each of the velocities v at (t, q), V has the velocities of the
  /// bodies of the group, relative to their mean: bodies elsewhere, and the motion that all have in common,
  /// do not count. A system that does not know its loops is one group, with V = v.
  using VisitLoops = std::function<void(double condition, const std::vector<Vec>& V)>;
  virtual void visit_loops(double above, double, VecIn, const std::vector<Vec>& v,
                           const VisitLoops& visit) const {
    if (condition() > above) visit(condition(), v);
  }
  /// Condition of the constraints in the last factorisation alone.
  virtual double last_condition() const { return condition(); }

  /// Whether the state is near a position where the constraints lose rank. The accelerations normal to the
  /// constraints are then mostly rounding error.
  bool near_rank_loss() const { return condition() > nearly_lost; }
  static constexpr double nearly_lost = 30;
  /// Branches of the constraints meet in a singular configuration, and at the distance d ~ 1/sqrt(condition)
  /// from it (rad, or relative to the size of the mechanism) they are apart by d. A motion that moves by less
  /// than a thirtieth of d, or is nearer than this to the constraints, is on its branch.
  static double branch_distance(double condition) { return 1 / (30 * std::sqrt(condition)); }
};

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
/// them use `solve`, except the tangent. The factors of `solve` are kept until (t, q) changes. Evaluations
/// may throw EvaluationError (singular, constraint_lost, callback_failed); results may be non-finite.
/// An output may be the same vector as an input.
///
/// Hairer, Wanner, Solving ODEs II, VII.1; Udwadia, Kalaba, Proc. R. Soc. A 439 (1992) 407-410.
class ConstrainedSystem : public System {
 public:
  ConstrainedSystem();
  ~ConstrainedSystem() override;

  const ConstrainedSystem* constrained() const final { return this; }
  virtual const std::vector<char>& holonomic() const = 0;            ///< which rows are holonomic (have phi)
  int rows() const { return static_cast<int>(holonomic().size()); }  ///< m
  virtual std::vector<std::string> row_names() const { return {}; }  ///< for messages; numbers if empty
  virtual Part part_of_row(int) const { return {}; }  ///< the joint or constraint with this row
  /// Whether phi may depend on t. A run then looks for jumps of phi in every step.
  virtual bool positions_move() const { return true; }
  /// The treatment for which this system was made: `minimal`, `dynamic` or `viscous`, which are part of its
  /// equations, or one of the others, among which the method of a run chooses. Empty if it is not known.
  virtual std::optional<Treatment> treatment() const { return std::nullopt; }

  virtual void force(double t, VecIn q, VecIn v, VecOut f) const = 0;
  virtual void metric_times(double t, VecIn q, VecIn w, VecOut out) const = 0;       ///< G w
  virtual void constraint_times(double t, VecIn q, VecIn w, VecOut out) const = 0;   ///< A w
  virtual void reaction(double t, VecIn q, VecIn lambda, VecOut out) const = 0;      ///< A^T lambda
  virtual void position_residual(double t, VecIn q, VecOut phi) const = 0;           ///< 0 if nonholonomic
  virtual void velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const = 0;  ///< A v + a0
  virtual void constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const = 0;  ///< gamma

  /// Whether the mass matrix depends on v. The equations of motion are then M(q, v, t) v' = f + A^T lambda,
  /// and G is any metric, for projections of positions alone.
  virtual bool mass_of_velocity() const { return false; }
  virtual void mass_times(double t, VecIn q, VecIn v, VecIn w, VecOut out) const;  ///< M w, by default G w

  /// M a - f - A^T lambda.
  virtual void imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const;

  // ---- operations with dense defaults

  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  virtual void acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const;

  /// Finds x and y with  G x - A^T y = r,  A x = s  at (t, q), y of least norm. Throws `singular` if s
  /// contradicts the redundant rows or if G is not positive definite.
  void solve(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const {
    solve(Factors::exact, t, q, r, s, x, y);
  }
  /// `nearby` is for one pass of an iteration that evaluates its residual again. The matrix may then be that
  /// of a state near (t, q) from earlier in the step.
  enum class Factors { exact, nearby };
  virtual void solve(Factors, double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const;

  /// The same with M at the velocity v in place of G.
  virtual void solve_with_mass(Factors which, double t, VecIn q, VecIn v, VecIn r, VecIn s, VecOut x,
                               VecOut y) const;

  /// Moves q along the metric until phi(q, t) = 0 to rounding: q <- q exp(xi), G xi = A^T y, A xi = -phi.
  /// A has all rows. phi is 0 in nonholonomic rows, so xi satisfies A xi = 0 in them. Throws
  /// `constraint_lost` if the iteration does not converge; q is then undefined. Returns whether q moved by
  /// more than rounding.
  virtual bool project_position(double t, VecOut q) const;
  /// v <- v + M^-1 A^T y such that A v + a0 = 0 at (t, q).
  virtual void project_velocity(double t, VecIn q, VecOut v) const;

  /// The tangent, dense by default. A system without constraint rows returns nullptr. A system with rows must
  /// return one.
  Tangent* tangent() const override;

  // ---- capabilities

  const PoweredRows* power() const override { return nullptr; }
  /// By default, choices and conditioning are those of the dense operations: no row is left out, and the
  /// condition comes from the pivots of A L^-T with G = L L^T.
  virtual StepChoices& choices() const;
  virtual const Conditioning& conditioning() const;

 protected:
  /// In a step that begins near a loss of rank, moves (q, v) to the nearest state that satisfies the
  /// constraints.
  void to_constraints_if_steep(double t, VecOut q, VecOut v) const;
  /// Factors G and A at (t, q), for `solve` and the condition.
  void factor(double t, VecIn q) const;

 private:
  struct Dense;
  std::unique_ptr<Dense> dense_;
};

}  // namespace torsor
