#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "system/time_resolution.hpp"

namespace torsor::mechanics {

/// The least step size that changes the time by a meaningful amount.
inline double step_floor(double t) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
}

/// Time as a compensated sum: a million steps of 1e-3 s end at 1000 s exactly. A. Neumaier, Z. angew.
/// Math. Mech. 54 (1974), doi 10.1002/zamm.19740540106.
class CompensatedTime {
 public:
  explicit CompensatedTime(double t) : sum_(t) {}

  void add(double h) {
    const double next = sum_ + h;
    rest_ += std::abs(sum_) >= std::abs(h) ? (sum_ - next) + h : (h - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + rest_; }
  double after(double h) const {
    CompensatedTime later = *this;
    later.add(h);
    return later.value();
  }

 private:
  double sum_, rest_ = 0;
};

}  // namespace torsor::mechanics
