#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "error_budget.hpp"
#include "torsor/integrators/constrained_system.hpp"

namespace torsor::mechanics {

/// Whether steps stay on their branch of the constraints. Constraints can have several solutions, and these
/// branches meet in singular configurations.
class BranchWatch {
 public:
  /// `estimates`: the steps have error estimates. `drifts`: the treatment does not project positions.
  BranchWatch(const System& system, bool estimates, bool drifts);

  /// Why a step of size h from (t, x) to `end` leaves its branch; empty if it does not.
  std::string why_left(double t, const State& x, const State& end, double h, const StepError& error);

  /// From now on, steps may pass from one circuit to another if these come within this distance (rad, or
  /// relative to the size of the mechanism) of each other.
  void pass_gaps(double greatest) { greatest_gap_ = greatest; }
  /// A note if accepted steps passed from one circuit to another; otherwise empty.
  std::string note() const;

  /// Why the last step that passed from one circuit to another was rejected; empty if none was since the motion
  /// came near the singular configuration.
  const std::string& rejected() const { return rejected_; }
  /// Call it before each attempt of a main step.
  void forget_gap() { gap_ = 0; }
  /// Records that the step of size h from x is accepted as a main step.
  void accept(const State& x, double h, bool near_singular);
  /// Call it where the field jumps: the last change of the velocity does not tell the next one.
  void forget_change() { last_.size = 0; }

  /// Why the branch of the accepted state (t, x) is in doubt: the state is too far off the constraints. Empty
  /// if it is not.
  std::string doubt(double t, const State& x, const StepError& error);
  /// After `doubt`: a note if the last step, of size h, came so near to a singular configuration that the
  /// distance of the state from the constraints may have changed the motion; otherwise empty. `rank_loss`
  /// is the beginning of the note.
  std::string drift_note(const std::string& rank_loss, double h, const StepError& error) const;

  /// The size of a displacement, or of a velocity, at a state.
  double size_of(const State& at, const Vec& xi);
  double change_of_velocity(const State& x, const State& end);

 private:
  std::string why_jumped(double t, const State& x, const State& end, double h);

  /// A configuration that satisfies the constraints.
  struct OnConstraints {
    double t = std::numeric_limits<double>::quiet_NaN();
    Vec q = {};
    double to_singular = 0;  ///< distance to the singular configuration, 1/sqrt(condition); 0: not measured
  };
  /// A part of the way from one configuration to another.
  struct Way {
    OnConstraints a, b;
    double length = 0;
    double nearest() const { return std::min(a.to_singular, b.to_singular); }
    double remoteness() const { return (a.to_singular + b.to_singular) / length; }
  };
  std::optional<double> gap_of_circuits(double t, const State& x, const State& end, double h);
  static bool touching(const std::vector<Way>& parts, const Way& whole);
  double distance(const State& x, const OnConstraints& a, const OnConstraints& b);
  bool divide(const Way& way, double part, OnConstraints& between);
  bool measure(OnConstraints& at);

  /// An accepted step of fixed size.
  struct Step {
    Vec v;            ///< velocity at its start
    double size = 0;  ///< s; 0 if the change of the velocity in the step is not known
  };

  const System& system_;
  const ConstrainedSystem* constrained_;  ///< the same system if it has constraints
  const bool estimates_, drifts_;
  Step last_, older_;
  double greatest_gap_ = 0;
  double gap_ = 0, passed_ = 0;  ///< greatest gap between circuits in the attempt, and in accepted steps
  std::string rejected_;
  std::set<std::string> met_;  ///< names of constraints that lost rank where circuits met
  OnConstraints measured_;     ///< the end of the last step that was examined
  double off_ = 0;  ///< distance of the last state from the constraints; 0 away from singular configurations
  Vec moved_, none_, q_;
};

}  // namespace torsor::mechanics
