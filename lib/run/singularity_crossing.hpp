#pragma once

#include <limits>
#include <vector>

#include "compensated_time.hpp"
#include "error_budget.hpp"
#include "torsor/lie/types.hpp"

namespace torsor::mechanics {

/// A state of a run and its time.
struct Moment {
  double t;
  CompensatedTime time;
  State x;
  std::vector<signed char> sides;  ///< of the switching functions: SwitchingWatch::sides
};

/// Chooses the sizes of steps near singular configurations, where constraints lose rank.
///
/// There accelerations are dominated by rounding, and steps that end there shrink to zero, although the
/// motion is smooth. The square root of the condition of the constraints grows as the inverse of the time to
/// the singular configuration, so two steps predict that time. One step then begins well before that time and
/// ends well after it. If such a step is rejected, the next attempts put the singular configuration elsewhere
/// in the step. If steps shrink nevertheless, because the predicted time was wrong, the run goes back to the
/// last step away from the singular configuration, whose time is then known.
class SingularityCrossing {
 public:
  explicit SingularityCrossing(double t_begin);

  /// The time from t to the singular configuration; infinite, negative or NaN if the motion does not approach
  /// one.
  double ahead(double t) const;
  /// Whether the last step came nearer to a singular configuration and did not cross it.
  bool approaches() const { return 0 < regular_ && regular_ < regular_before_; }
  /// The size of the next step; `wish` away from singular configurations.
  double choose(double t, double wish);
  /// Whether the step with the size that `choose` returned crosses a singular configuration.
  bool across() const { return across_; }
  /// A step near a singular configuration that is smaller than this size cannot pass it.
  double least_step() const;

  /// Records an accepted step from `start`, for systems with constraints.
  void accept(const Moment& start, const StepError& error);
  /// The size of a step that was accepted away from singular configurations, or that left one.
  void ordinary_step(double h) { ordinary_ = h; }

  /// Records a rejected step that crosses or leaves a singular configuration. `within_reach`: its error
  /// estimate is at most the error that is permitted near singular configurations. Returns whether it has
  /// less noise than all other attempts within reach.
  bool reject(double h, bool within_reach, double noise);
  /// After a rejected step across a singular configuration: whether to try another position within the step.
  bool try_elsewhere();
  /// The size of the next attempt after a step that leaves a singular configuration and was rejected only for
  /// its noise. `noise` is relative to the permitted noise.
  static double farther(double h, double noise);
  /// Size of the attempt with the least noise among the attempts within reach; not finite if there is none.
  double quietest_step() const { return quietest_; }
  /// Forgets the rejected steps.
  void forget_attempts();

  /// Called where steps have shrunk. Returns the moment from which the run continues, with ordinary_step() as
  /// step size; nullptr if no other position within the step is left to try, or if every step so far came
  /// near the singular configuration.
  const Moment* go_back(const Moment& now);
  double ordinary_step() const { return ordinary_; }
  /// The last accepted state before `go_back`; its time is -infinity if there was none.
  const Moment& furthest() const { return furthest_; }
  /// Whether steps up to t have been made before `go_back`.
  bool repeats(double t) const { return t <= furthest_.t; }

 private:
  double t_begin_;
  double regular_ = 0, regular_before_ = 0;  ///< 1 / sqrt(condition) after the last two steps; 0 if unknown
  double t_before_ = 0;                      ///< start of the last step
  bool across_ = false;
  std::size_t rejected_ = 0;  ///< number of rejected steps across singular configurations
  std::size_t tries_ = 0;     ///< the same for the singular configuration ahead
  double least_noise_ = std::numeric_limits<double>::infinity();
  double quietest_ = std::numeric_limits<double>::infinity();
  double ordinary_ = 0;
  Moment regular_start_;  ///< start of the last step away from singular configurations, or that left one
  Moment furthest_;
  double place_ = std::numeric_limits<double>::quiet_NaN();  ///< time where steps shrank; NaN: nowhere
  std::size_t returns_ = 0;  ///< number of returns since an ordinary step began beyond `furthest_`
};

}  // namespace torsor::mechanics
