#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "compensated_time.hpp"
#include "torsor/run/simulate.hpp"

namespace torsor::mechanics {

/// The times strictly between begin and end at which output is asked for: the grid of output steps and the
/// listed times, merged. The grid is k * step, not a running sum.
class OutputSchedule {
 public:
  explicit OutputSchedule(const SimulationOptions& options) : options_(options) { pop(); }

  /// The next time, +infinity when none is left.
  double next() const { return next_; }

  void pop() {
    if (next_ == infinity) return;
    double last = next_;
    do next_ = std::min(grid(), listed());
    while (advance(last));
    if (next_ >= options_.t_end - resolution(options_.t_end)) next_ = infinity;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double resolution(double t) const { return time_resolution(options_.t_begin, t); }
  double grid() const {
    return options_.output_step > 0 ? options_.t_begin + static_cast<double>(k_) * options_.output_step
                                    : infinity;
  }
  double listed() const {
    return list_ < options_.output_times.size() ? options_.output_times[list_] : infinity;
  }
  /// Skips the start, and a time that `next` has already returned (a listed time on the grid). Returns
  /// whether it skipped one.
  bool advance(double last) {
    const double from = std::max(last, options_.t_begin);
    if (!(next_ <= from + resolution(from))) return false;
    if (grid() <= listed())
      ++k_;
    else
      ++list_;
    return true;
  }

  const SimulationOptions& options_;
  long k_ = 1;
  std::size_t list_ = 0;
  double next_ = -infinity;
};

}  // namespace torsor::mechanics
