#pragma once

#include <string>

#include "system/singularity/rank_monitor.hpp"

namespace torsor::mechanics {

/// Solves the saddle-point equations of all bodies at the instant of `bodies`:
///
///   [ G_B  -A_B^T ] [ V ]   [ W ]
///   [ A_B     0   ] [ y ] = [ s ].
///
/// The factors are kept until (t, q) or the rows that are left out change.
class BodySolver {
 public:
  using Multipliers = KktSolver::Multipliers;

  BodySolver(BodyEquations& bodies, StepperRows& rows);

  /// Factors the equations at the instant of `bodies`, unless the present factors belong to this instant.
  void factor();
  /// The same, except that factors of this step at the same t and within `reach` of q are kept, if their pivots
  /// are about as large as at the start.
  void factor_nearby(double reach);
  /// Upper limit of `reach`, m and rad.
  static constexpr double next_to = 1e-6;

  /// Returns whether V satisfies all rows.
  bool solve(const Vec& W, const Vec& s, Vec& V, Vec& y, Multipliers which);
  /// The same; throws EvaluationError (singular) if V does not satisfy all rows.
  void solve_or_throw(const Vec& W, const Vec& s, Vec& V, Vec& y, Multipliers which);
  /// Replaces y by the y' of least norm with A^T y' = A^T y.
  void least_norm(Vec& y) const { kkt_.least_norm(y.data()); }

  /// The unit of tolerances on a row, in m or rad: length_unit of the greatest lever arm, or 1 for angles.
  double unit(int row) const;

  void begin_step();
  const KktSolver& kkt() const { return kkt_; }
  RankMonitor& rank() { return rank_; }
  /// The monitor's doubt about the rank in the last evaluation; empty if there is none.
  std::string rank_doubt() const { return rank_.doubt(contradictory_); }

 private:
  double greatest_terms(const Vec& s, const Vec& V) const;
  void find_contradictions(const Vec& s, const Vec& V);

  BodyEquations& bodies_;
  StepperRows& rows_;
  KktSolver kkt_;
  RankMonitor rank_;
  double length_unit_ = 1;
  long place_ = -1, choice_ = -1;  ///< of `bodies` and `rows` at the last factorisation
  double t_ = 0;                   ///< time of the last factorisation, s
  Vec q_;                          ///< configuration of the last factorisation
  bool serves_nearby_ = false;     ///< the last factorisation succeeded and belongs to this step
  /// The names of the rows that the last solution does not satisfy, and the part of the first.
  std::string contradictory_;
  Part first_contradictory_;
};

/// The graph of links and constraints, with the constraints in the order of Constraints::items().
KktGraph graph_of(const Model& model, const Constraints& constraints);

}  // namespace torsor::mechanics
