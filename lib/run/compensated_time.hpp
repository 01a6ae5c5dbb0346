#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "system/time_resolution.hpp"
#include "torsor/lie/scalar.hpp"

namespace torsor::mechanics {

/// The least step size that changes the time by a meaningful amount.
inline double step_floor(double t) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
}

/// Time as a compensated sum: a million steps of 1e-3 s end at 1000 s exactly. A. Neumaier, Z. angew.
/// Math. Mech. 54 (1974), doi 10.1002/zamm.19740540106.
template <class Scalar>
class CompensatedSum {
 public:
  explicit CompensatedSum(const Scalar& t, const Scalar& rest = Scalar(0)) : sum_(t), rest_(rest) {}

  void add(const Scalar& h) {
    const Scalar next = sum_ + h;
    rest_ += torsor::select(torsor::abs(sum_) >= torsor::abs(h), Scalar((sum_ - next) + h),
                            Scalar((h - next) + sum_));
    sum_ = next;
  }
  Scalar value() const { return sum_ + rest_; }
  Scalar after(const Scalar& h) const {
    CompensatedSum later = *this;
    later.add(h);
    return later.value();
  }
  const Scalar& sum() const { return sum_; }
  const Scalar& rest() const { return rest_; }

 private:
  Scalar sum_, rest_;
};
using CompensatedTime = CompensatedSum<double>;

}  // namespace torsor::mechanics
