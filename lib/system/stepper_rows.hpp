#pragma once

#include <vector>

#include "body_equations.hpp"

namespace torsor::mechanics {

/// The m rows of A_B that a stepper sees: the rows of `Constraints` without those of inboard joints. Some
/// rows are left out of the equations: the rows that friction replaces, and redundant rows.
///
/// Rows that are left out are 0 in the results, with two exceptions: `offsets` has 0 only in replaced rows,
/// and `gather` copies every row.
class StepperRows {
 public:
  /// `replaced`: whether friction replaces the rows without phi.
  StepperRows(const Constraints& constraints, bool replaced);

  int size() const { return static_cast<int>(index_.size()); }
  /// Index of each of the m rows among all rows.
  const std::vector<int>& index() const { return index_; }
  const std::vector<char>& holonomic() const { return holonomic_; }

  /// Over all rows: friction replaces the row.
  const std::vector<char>& replaced() const { return replaced_; }
  bool any_replaced() const { return any_replaced_; }
  /// Over all rows: the row is left out of the equations.
  const std::vector<char>& left_out() const { return left_out_; }
  bool only_replaced_left_out() const { return left_out_ == replaced_; }
  void leave_out(const std::vector<char>& rows);
  /// A count that changes whenever `left_out` changes.
  long choice() const { return choice_; }

  /// The blocks of A_B, with zeros in rows that are left out.
  const double* blocks(const BodyEquations& bodies);
  /// out = A V over the m rows.
  void times(const BodyEquations& bodies, const Vec& V, VecOut out) const;
  /// out = phi, or out = a0, over the m rows.
  void position_residual(const BodyEquations& bodies, VecOut out) const;
  void offsets(const BodyEquations& bodies, VecOut out) const;
  /// Adds a0, or gamma, to the m rows of `out`.
  void add_offsets(const BodyEquations& bodies, VecOut out) const { add(bodies.rows().a0, out); }
  void add_bias(const BodyEquations& bodies, VecOut out) const { add(bodies.rows().gamma, out); }
  /// W += A_B^T lambda.
  void add_reactions(const BodyEquations& bodies, VecIn lambda, Vec& W);
  /// Copies the m rows of a stepper to `out`, which has all rows; 0 in the rows of inboard joints.
  void spread(VecIn rows, Vec& out) const;
  /// Copies the m rows of a stepper from `all`, which has all rows.
  void gather(const Vec& all, VecOut rows) const;

 private:
  void add(const std::vector<double>& values, VecOut out) const;

  const Constraints& constraints_;
  std::vector<int> index_;
  std::vector<char> holonomic_, replaced_, left_out_;
  bool any_replaced_ = false;
  long choice_ = 0;
  std::vector<double> blocks_;
  Vec lambda_;
};

}  // namespace torsor::mechanics
