#pragma once

#include <limits>
#include <optional>

namespace torsor::mechanics {

/// The error that rounding of the state causes in every step, relative to the state.
inline constexpr double rounding = std::numeric_limits<double>::epsilon();

/// The share of the tolerance that one step may use, since errors add up over a run.
inline constexpr double step_share = 1. / 30;

/// If the estimated errors of the steps add up to more than this multiple of the tolerance, the run has a
/// note (`simulate`). 3000 steps that use their share reach it; regular motions take hundreds.
inline constexpr double greatest_multiple = 100;

/// The known errors of a step.
struct StepError {
  double estimated = 0;  ///< the error estimate of the method, in the norm of step control, plus `rounding`
  double of_work =
      0;  ///< the error estimate of the work, J, which no norm contains; 0 if it is not integrated
  double rounded = 0;    ///< error due to rounding of the accelerations, away from singular configurations
  double condition = 1;  ///< greatest condition of the constraints in the step
  bool began_singular = false;  ///< the step begins in a singular configuration
  /// Whether the step comes near a singular configuration.
  bool near_singular() const;
  /// Whether the step also begins in a singular configuration, with redundant rows that act in the step.
  bool leaves_singular() const { return began_singular && near_singular(); }
};

/// The error of a step of size h near a singular configuration due to rounding of the accelerations; 0 if no
/// singular configuration is near.
double singular_noise(double h, double condition);

/// The error that each step of a run may have, and the sum of the errors that were permitted.
class ErrorBudget {
 public:
  explicit ErrorBudget(std::optional<double> tolerance) : tolerance_(tolerance) {}

  /// The tolerance of the run; none with a fixed step.
  const std::optional<double>& tolerance() const { return tolerance_; }
  /// The error that a step may have.
  double permitted(const StepError& error) const;
  /// The total error that an accepted step may have: near a singular configuration, permitted_near_singular()
  /// is added to permitted().
  double permitted_in_all(const StepError& error) const;
  /// The error that a step across a singular configuration may have: the tolerance, or the least error that
  /// such a step can reach if this is greater.
  double permitted_near_singular() const;

  /// Counts accepted steps, each with this error.
  void accept(const StepError& error, long steps = 1);
  /// Adds an error that a step has beyond its permitted error.
  void add(double error) { sum_ += error; }
  /// Sum of the permitted errors of the accepted steps; 0 with a fixed step.
  double sum() const { return sum_; }
  /// Sum of the error estimates of the accepted steps.
  double estimated() const { return estimated_; }
  /// The same of the work, J.
  double of_work() const { return of_work_; }
  /// The rounding errors of the accepted steps, added up as random errors, if they exceed the tolerance.
  std::optional<double> rounding_beyond_tolerance() const;

 private:
  std::optional<double> tolerance_;
  double sum_ = 0, estimated_ = 0, of_work_ = 0;
  double rounded_squares_ = 0;  ///< sum of squares of the errors of steps whose rounding exceeds their share
};

}  // namespace torsor::mechanics
