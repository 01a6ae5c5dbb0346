#pragma once

#include <Eigen/Dense>
#include <functional>
#include <utility>
#include <vector>

#include "torsor/lie/types.hpp"

namespace torsor::mechanics {

/// Finds when functions of the time alone first leave their sides within a step. Such functions cost little
/// and may have many periods in a step, so they are sampled until an interpolation meets them: an interval
/// whose odd samples differ from the interpolation through the even ones is divided.
class TimeScan {
 public:
  /// The functions at the time s after the start of the step, s; false if there are none.
  using At = std::function<bool(double s, Vec& values)>;
  /// Whether function k, with this value at the time s > 0, has left its side.
  using HasLeft = std::function<bool(std::size_t k, double s, double value)>;
  /// Called for each function k that has left its side: before the time `from` it has not, at the time s it
  /// has. No function leaves its side in an earlier interval.
  using Left = std::function<void(std::size_t k, double from, double s)>;

  /// Scans a step of size h. Returns false if there are no such functions.
  bool scan(double h, const At& at, const HasLeft& has_left, const Left& left);
  /// Whether the last scan reached a function that leaves its side, or the end of the step. If not, a
  /// function has too many periods in the step.
  bool is_complete() const { return is_complete_; }
  /// Whether function k has had another value than 0 in the last scan: the functions that depend on more than
  /// the time have none.
  bool is_of_time(std::size_t k) const { return is_of_time_[k] != 0; }

 private:
  bool sample(double from, double to, const At& at);
  bool is_resolved();
  bool report(double from, double to, const At& at, const HasLeft& has_left, const Left& left);
  std::pair<int, double> first_between(Eigen::Index k, int end, const std::function<double(double)>& time,
                                       const At& at, const HasLeft& has_left);

  Eigen::MatrixXd samples_;    ///< a column for each time
  Eigen::MatrixXd at_odd_;     ///< the interpolation at the odd samples
  Eigen::RowVectorXd inside_;  ///< the interpolation of one function between the samples, times its side
  Vec values_;
  std::vector<char> is_of_time_;
  bool is_complete_ = true;
  std::vector<double> ends_;  ///< of the intervals to be scanned, the next one last
};

}  // namespace torsor::mechanics
