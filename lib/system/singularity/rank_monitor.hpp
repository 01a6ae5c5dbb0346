#pragma once

#include <string>
#include <vector>

#include "model/kkt.hpp"
#include "system/stepper_rows.hpp"

namespace torsor::mechanics {

/// Judges the rank of the constraints after each factorisation, from the growth of the pivots.
///
/// The condition of a joint or constraint is the greatest pivot growth of its rows, relative to that at the
/// start of the run. It stays 1 without closed loops, since only these can make one joint depend on others.
class RankMonitor {
 public:
  RankMonitor(const KktSolver& kkt, const StepperRows& rows, const Constraints& constraints);

  /// Call it after each factorisation, and where a step first uses an earlier one. Throws EvaluationError (singular) if
  /// the constraints have lost rank.
  void observe(double t);
  /// From here on, `worst_condition` is the greatest condition of the new step.
  void begin_step() { worst_condition_ = 1, beginning_ = true, began_singular_ = false; }

  /// The condition of the last factorisation, over all joints and constraints.
  double condition() const { return condition_; }
  /// The greatest condition since `begin_step`, and the joint or constraint that had it. If no condition
  /// since then was above 1, `worst` is that of an earlier step, or nullptr.
  double worst_condition() const { return worst_condition_; }
  const Constraints::Item* worst() const { return worst_; }
  /// Whether more rows than expected are redundant at the beginning of the step.
  bool began_singular() const { return began_singular_; }

  /// Whether the pivots are about as large as at the start, so that the factors serve nearby states too.
  bool as_at_start() const;
  /// Whether the solver's choice of redundant rows is reliable.
  bool chooses_well() const;
  /// Whether states that are a little off the constraints would have worthless accelerations.
  bool steep() const;
  /// Whether a pivot has lost half of its digits: the rows are independent, but near a loss of rank.
  bool half_lost() const;
  /// A sentence if more rows are redundant than expected or if a pivot has lost half of its digits; otherwise
  /// empty. `contradictory` names the rows that contradict the others, if there are any.
  std::string doubt(const std::string& contradictory) const;

  /// Number of redundant rows at the start, or at the last call of `expect_redundant_rows`.
  int expected_redundant_rows() const { return expected_redundant_; }
  /// Whether a factorisation at the beginning of a step may set the reference of the condition.
  bool awaits_reference() const;
  /// From now on, the expected number of redundant rows is that of the last factorisation.
  void expect_redundant_rows();

 private:
  bool more_redundant() const;
  const Constraints::Item* grown_most() const;

  const KktSolver& kkt_;
  const StepperRows& rows_;
  const Constraints& constraints_;
  double condition_ = 1, worst_condition_ = 1;
  const Constraints::Item* worst_ = nullptr;
  bool beginning_ = true, began_singular_ = false;
  int expected_redundant_ = 0;
  std::vector<double> first_growth_;    ///< pivot growth by item in the first factorisation, at the start
  std::vector<double> reduced_growth_;  ///< the same with redundant rows left out, after their last choice
};

/// A name in quotes.
std::string quoted(const Constraints::Item* item);

}  // namespace torsor::mechanics
