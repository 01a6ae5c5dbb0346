#pragma once

#include <string>

#include "integrators/rank_monitor.hpp"
#include "model/kkt.hpp"
#include "system/stepper_rows.hpp"

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
  /// The same, except that factors of this step at the same t and within `reach` of q are kept, if their
  /// pivots are about as large as at the start.
  void factor_nearby(double reach);
  /// Upper limit of `reach`, m and rad.
  static constexpr double next_to = 1e-6;

  /// Returns whether V satisfies all rows.
  bool solve(const Vec& W, const Vec& s, Vec& V, Vec& y, Multipliers which);
  /// `factor` and `solve` in less time, for mechanisms without loops.
  bool factor_and_solve(const Vec& W, const Vec& s, Vec& V, Vec& y, Multipliers which);
  /// As `solve`; throws EvaluationError (singular) if V does not satisfy all rows.
  void solve_or_throw(const Vec& W, const Vec& s, Vec& V, Vec& y, Multipliers which);
  [[noreturn]] void throw_contradiction() const;
  /// Replaces y by the y' of least norm with A^T y' = A^T y.
  void least_norm(Vec& y) const { kkt_.least_norm(y.data()); }

  /// The unit of tolerances on a row, in m or rad: length_unit of the greatest lever arm, or 1 for angles.
  double unit(int row) const;

  /// Forgets the factors and verdicts of earlier runs.
  void begin_run();
  void begin_step();
  const KktSolver& kkt() const { return kkt_; }
  /// The verdicts on the rank of the rows. Its groups are the joints and constraints. The condition stays 1
  /// without closed loops, since only these can make one joint depend on others.
  RankMonitor& rank() { return rank_; }
  /// A sentence if the rank was in doubt in the last evaluation; otherwise empty.
  std::string rank_doubt() const;
  /// The joint or constraint with the greatest condition in this step, nullptr if it is not known.
  const Constraints::Item* worst() const { return item_of(rank_.worst_row()); }

 private:
  bool has_factors();
  void accept_factors();
  void observe();
  const Constraints::Item* item_of(int row) const;
  double greatest_terms(const Vec& s, const Vec& V) const;
  bool satisfies(const Vec& s, const Vec& V);

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

/// A name in quotes.
std::string quoted(const Constraints::Item* item);

/// The graph of links and constraints, with the constraints in the order of Constraints::items().
KktGraph graph_of(const Model& model, const Constraints& constraints);

}  // namespace torsor::mechanics
