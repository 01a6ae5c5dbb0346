#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sign_changes.hpp"
#include "torsor/run/simulate.hpp"

namespace torsor::mechanics {

/// Watches event functions over accepted steps and finds where they cross zero.
class EventWatch {
 public:
  /// Computes the state x at the time s after the start of the step.
  using SideStep = std::function<void(double s, State& x)>;

  EventWatch(const System& system, const std::vector<Event>& events) : system_(system), events_(events) {}

  /// Evaluates the functions at the start. A value that is 0 up to the rounding of the state counts as 0. All
  /// functions here throw EvaluationError if an event function throws, is not finite or is too large to
  /// compute its rate.
  void start(double t, const State& x);

  /// The crossings in the step from (t, x) to t + h in the order of time, without the first `seen` seconds,
  /// which an earlier call has examined. Reaching zero is a crossing, leaving zero is not.
  /// The field must be smooth in the step, and also at its start unless `forget_rates` was called there.
  const std::vector<EventRecord>& cross(double t, const State& x, double h, const State& x_end,
                                        const SideStep& side, double seen);

  /// Call it after `cross` if the run goes back: the step that it examined is examined again.
  void take_back() { std::swap(value_, value_at_end_), forget_rates(); }

  /// Call it where rates may jump: at a kink or a sample.
  void forget_rates() { rate_.clear(); }

  /// The crossings by jumps at the time t of a kink or sample; x is the state after it.
  const std::vector<EventRecord>& jump(double t, const State& x);

 private:
  double value(std::size_t i, double t, const State& x) const;
  void find_rounding(double t, const State& x);
  double rate(std::size_t i, double value, double t, double d) const;
  void find_rates(double t, const State& x, double d, const std::vector<double>& values,
                  std::vector<double>& rates);
  bool find_changes(std::size_t i, double t, double h, const State& x_end, const SideStep& side, double seen);
  void find_kinks(std::size_t i, double t, double h, const State& x_end, const SideStep& side, double seen);
  void find_kinks_of_part(std::size_t i, Eigen::Index k, double t, double h, double begin, double end,
                          const SignChanges::At& at);
  void find_kink_rounding(double t, const State& x);
  void switching(std::size_t i, double t, const State& x, Vec& out) const;
  double locate(std::size_t i, double t, const SideStep& side, const SignChanges::Interval& within);
  void guard_against_chatter(std::size_t i, double t, const State& x, bool crossed);

  const System& system_;
  const std::vector<Event>& events_;
  std::vector<double> value_, value_at_end_;
  std::vector<double> rate_, rate_at_end_;  ///< `rate_` is empty if the rates are not known
  Vec rounding_;
  std::vector<int> crossed_in_a_row_;
  std::vector<EventRecord> found_;
  SignChanges changes_;
  StatesBeside beside_;
  std::vector<SignChanges::Interval> intervals_;  ///< in which one function crosses zero
  std::vector<double> kinks_;                     ///< times of the kinks of one function in the step
  Vec switching_, switching_ahead_;
  std::vector<Vec> kink_rounding_;  ///< of the switching functions of each event
  std::vector<Vec> kink_rest_;      ///< values below these may change their sign by rounding alone
  State x_, ahead_;                 ///< `ahead_` is empty if it cannot be computed
  InterpolatedStep interpolated_;
  std::array<State, parts_inside.size()> inside_states_;
  /// The same at both ends of the part of the step that is examined, for the switching functions of all
  /// events.
  State ahead_of_start_, ahead_of_end_;
  bool knows_ahead_of_start_ = false;
};

}  // namespace torsor::mechanics
