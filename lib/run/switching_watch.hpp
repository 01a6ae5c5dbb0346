#pragma once

#include <functional>
#include <vector>

#include "crossing_times.hpp"
#include "sign_changes.hpp"
#include "time_scan.hpp"

namespace torsor::mechanics {

/// Ends steps where the field of a system is not smooth, at kinks and at samples. Between these instants each
/// switching function is held on its side, so that a step sees a smooth field and the method keeps its order.
/// Functions that leave their side and return within one step are found too (SignChanges); functions of the
/// time alone are also examined at times within each step.
class SwitchingWatch {
 public:
  /// Computes the state x at the time s after the start of the step.
  using SideStep = std::function<void(double s, State& x)>;

  /// `begin` and `end` of the run, s; `tolerance`: relative error of states. The system must outlive this
  /// object.
  SwitchingWatch(const System& system, double begin, double end, double tolerance);

  /// Takes the samples at the beginning of the run, and the side of each kink at the start.
  void start(State& x);

  /// The side on which each switching function is held, 1 or -1, or 0 if it rests at 0.
  const std::vector<signed char>& sides() const { return sides_; }

  /// Continues from the earlier time t of the run, s, where the switching functions were held on `sides`.
  void go_back(double t, const std::vector<signed char>& sides);

  /// The latest time at which the next step may end, s: a known kink, a sample, or the end of the run.
  double limit() const { return limit_; }

  /// Looks for kinks inside the step of size h from (t, x) to x_end. Returns whether there is one. The step
  /// must then be repeated, up to the new limit. If the kink is at t, x loses the values that methods keep. A
  /// function that is exactly 0 at the start of the step is held at 0 until a step leads it away from there.
  /// Throws EvaluationError (callback_failed) if the motion stays on a kink.
  bool crosses(double t, State& x, double h, const State& x_end, const SideStep& side);

  /// Call it at the end t of an accepted step: crosses the known kinks at t and takes the samples at t. If a
  /// step ends at limit() up to rounding, t must equal limit(), so that no sample is lost. Returns whether
  /// the field may jump at t.
  bool arrive(double t, State& x);

 private:
  /// All switching functions at a time.
  struct Values {
    Vec values, rates;
    bool known = false;
    double s = 0, d = 0;  ///< the time after the start of the step, and that of the differences
  };
  [[noreturn]] void fail_of_many_kinks(int k) const;
  void find_left_of_time(double t, double h);
  void find_left(const SwitchingStep& step);
  void functions_beside(double t, const State& x, Vec& out) const;
  void find_values(double t, const State& x, double d, Values& out);
  const Values& values_within(const SwitchingStep& step, double s, double d);
  SignChanges::TimeInterval first_change(std::size_t k, const SwitchingStep& step);
  void find_rounding(double t, const State& x);
  bool has_left(std::size_t k, double value) const;
  bool leaves_zero(const SwitchingStep& step, State& x, double first);
  void take_sides(double t, const State& x);
  void take_samples(double t, State& x);
  void find_limit();
  void find_flipped(double t, const State& x);
  void velocity_rows(double t, const State& x, Vec& out) const;
  void check_jump(double t, const State& x, const Vec& change);
  bool stays_on_kink(double t, const State& x);
  void cross(double t, const State& x);

  const System& system_;
  const Switching* const switching_;  ///< nullptr: the field is smooth
  const double begin_, end_, tolerance_;
  double limit_, kink_at_;
  double sample_at_ = 0;       ///< the first sample that has not been taken
  std::vector<int> crossed_;   ///< the kinks at kink_at_
  std::vector<int> flipped_;   ///< the kinks in crossed_ that change their side
  std::vector<char> settled_;  ///< over kinks: whether it keeps its side until the next step
  std::vector<signed char> sides_;
  std::vector<LeftSide> left_;
  std::vector<char> found_;  ///< over kinks: whether it is in left_ or may be on either side
  CrossingTimes crossing_times_;
  Vec values_, before_, rounding_, rows_, rows_after_;
  std::array<Vec, parts_inside.size()> inside_;  ///< values at parts_inside of the step, approximately
  Values at_start_, at_end_;
  std::vector<Values> within_;  ///< at times within the step; those before `count_within_` belong to it
  std::size_t count_within_ = 0;
  SignChanges changes_;
  InterpolatedStep interpolated_;
  TimeScan scan_;
  StatesBeside beside_;
  State x_, ahead_;
  double last_kink_ = begin_;  ///< the time of the last kink that was found
  double gap_ = 0;             ///< the greater of the two times between the last three kinks, s
  double gap_before_ = 0;      ///< the time between the last two kinks, s
  int without_progress_ = 0;   ///< crossings since the last step
  int in_a_row_ = 0;           ///< crossings since the last step that did not end at a kink
};

}  // namespace torsor::mechanics
