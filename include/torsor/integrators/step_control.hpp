#pragma once

#include <algorithm>
#include <cmath>

namespace torsor {

/// Proportional-integral control of the step size. With e the estimated error over the tolerance and k the
/// power of h that the estimate follows,
///
///   h' = h * safety * e^(-0.7/k) * e_before^(0.4/k),
///
/// between one fifth and five times h; no growth right after a rejection. A rejected step uses the
/// proportional part alone; an error that is not a number rejects and quarters the step. Gustafsson, ACM
/// Trans. Math. Softw. 17 (1991), doi 10.1145/210232.210242; Hairer, Wanner, Solving Ordinary Differential
/// Equations II, IV.2.
class PiController {
 public:
  /// `estimate_power`: k, one more than the lower of the orders of the pair.
  explicit PiController(int estimate_power) : k_(estimate_power) {}

  /// Whether a step with this error over tolerance stands; `factor()` is then what to multiply h with.
  bool judge(double error) {
    if (!(error <= 1)) {
      factor_ = std::isfinite(error) ? std::max(least, safety * std::pow(error, -1 / k_)) : 0.25;
      rejected_ = true;
      return false;
    }
    const double e = std::max(error, 1e-10);  // zero for motions that the method solves exactly
    const double wish = safety * std::pow(e, -0.7 / k_) * std::pow(before_, 0.4 / k_);
    factor_ = std::clamp(wish, least, rejected_ ? 1.0 : greatest);
    before_ = std::max(e, 1e-4);
    rejected_ = false;
    return true;
  }

  double factor() const { return factor_; }

 private:
  static constexpr double safety = 0.9, least = 0.2, greatest = 5;

  double k_, before_ = 1e-4, factor_ = 1;
  bool rejected_ = false;
};

}  // namespace torsor
