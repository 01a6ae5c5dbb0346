#pragma once

#include <utility>
#include <vector>

#include "system/body_solver.hpp"

namespace torsor::mechanics {

/// Chooses the redundant rows that a step leaves out.
///
/// Some rows depend on the others only where the constraints hold. The stages and iterations of a step are
/// off the constraints by some distance d, and there the pivots of these rows are of order d^2: the rows
/// would count as independent and give worthless accelerations, or contradict the others. So a step leaves
/// out redundant rows. On the constraints the other rows require the same motion, and off them this motion
/// is smooth.
class RedundantRows {
 public:
  RedundantRows(BodyEquations& bodies, StepperRows& rows, BodySolver& solver)
      : bodies_(bodies), rows_(rows), solver_(solver), reaction_(bodies.model().nv()) {}

  /// Over the m rows, 1 for redundant rows at (t, q).
  std::vector<char> find(double t, VecIn q);

  /// Forgets the choices of earlier runs. All rows act then.
  void begin_run();
  /// Leaves out the redundant rows of the step from (t, q). Throws EvaluationError (singular) if one of them
  /// contradicts the other rows.
  void leave_out(double t, VecIn q);
  /// For the end of a step. Returns false if the step has to be taken again, with other rows.
  bool end_step(double t, VecIn q);
  /// For the end (t, q) of a run. Throws EvaluationError (singular) if a row that the last step left out
  /// contradicts the other rows.
  void check_end(double t, VecIn q);

 private:
  std::vector<std::pair<int, double>> entries(const Constraints::Item& item, int row);
  void choose(double t, VecIn q);
  double missed_by() const;
  bool rank_has_risen() const;
  void check(double t) const;
  void check_velocities(double t);
  template <class Test>
  void throw_if(double t, const Test& contradictory) const;

  BodyEquations& bodies_;
  StepperRows& rows_;
  BodySolver& solver_;
  std::vector<char> redundant_;         ///< over all rows: the rows that steps leave out
  std::vector<char> pivots_;            ///< the solver's redundant rows when `redundant_` was chosen
  Vec q_start_;                         ///< configuration at the first choice
  bool known_around_start_ = false;     ///< whether the rows are known to be redundant around q_start_
  Vec wrenches_, reaction_;             ///< of one row
  Vec no_load_, offsets_, V_, lambda_;  ///< of `check_velocities`
};

/// For use between steps: while an object of this class lives, all rows act, including the redundant rows
/// that steps leave out.
class AllRows {
 public:
  explicit AllRows(StepperRows& rows) : rows_(rows), left_out_(rows.left_out()) {
    rows.leave_out(rows.replaced());
  }
  ~AllRows() { rows_.leave_out(left_out_); }
  AllRows(const AllRows&) = delete;
  AllRows& operator=(const AllRows&) = delete;

 private:
  StepperRows& rows_;
  std::vector<char> left_out_;
};

}  // namespace torsor::mechanics
