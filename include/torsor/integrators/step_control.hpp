#pragma once

#include <algorithm>
#include <cmath>

namespace torsor {

struct PiOptions {
  double safety = 0.9;
  double least_factor = 0.2, greatest_factor = 8;  ///< how much one step may differ from the last
};

/// Proportional-integral control of the step. With e = estimated local error / tolerance and k = 1 + order of
/// the embedded solution, so that e is proportional to h^k, an accepted step is followed by
///
///   h' = h safety e^(-alpha) e_last^beta,   beta = 0.2 / k,   alpha = 1/k - 3/4 beta,
///
/// and a rejected one by h' = h safety e^(-1/k), after which the next accepted step does not grow.
/// The memory e_last damps the oscillation of h where stability rather than accuracy sets the step.
/// Gustafsson, ACM TOMS 17 (1991) 533-554; Hairer, Norsett, Wanner, Solving ODEs I, II.4, and II, IV.2.
class PiController {
 public:
  struct Decision {
    bool accept;
    double factor;  ///< next step / this step
  };

  explicit PiController(int error_order, const PiOptions& options = {})
      : options_(options), k_(1. / (error_order + 1)), beta_(0.2 * k_), alpha_(k_ - 0.75 * beta_) {}

  /// `error` is relative to the tolerance. A step is accepted when error <= 1: not when it is not a number.
  Decision judge(double error) {
    if (!std::isfinite(error)) return reject(options_.least_factor);
    const double e = std::log(std::max(error, 1e-4));  // a lucky zero must not set the next step
    if (e > 0) return reject(clamp(options_.safety * std::exp(-k_ * e)));
    double factor = clamp(options_.safety * std::exp(beta_ * last_ - alpha_ * e));
    if (after_rejection_) factor = std::min(factor, 1.);
    last_ = e;
    after_rejection_ = false;
    return {true, factor};
  }

  /// For failures without an estimate (a turn too large, a force that became infinite): as a rejection.
  Decision reject(double factor) {
    after_rejection_ = true;
    return {false, std::min(factor, 0.9)};
  }

 private:
  double clamp(double factor) const {
    return std::clamp(factor, options_.least_factor, options_.greatest_factor);
  }

  PiOptions options_;
  double k_, beta_, alpha_;
  double last_ = 0;  ///< log of the last error; a first step says nothing about a trend
  bool after_rejection_ = false;
};

/// First step of a method whose local error behaves as h^k, k = error_order + 1, from two sizes in the norm
/// of the error: `rate` of the field (xi', v') at the start, `change` of that rate a second, measured over
/// `probe_step`. Hairer, Norsett, Wanner, Solving ODEs I, II.4, with the size of the state taken as 1: a
/// configuration has no size, and the norm already divides velocities by their own.
inline double probe_step(double rate) { return rate < 1e-5 ? 1e-6 : 0.01 / rate; }
inline double first_step(double rate, double change, double tolerance, int error_order) {
  const double probe = probe_step(rate);
  const double greatest = std::max(rate, change);
  const double h = greatest <= 1e-15 ? std::max(1e-6, probe * 1e-3)
                                     : std::pow(0.01 * tolerance / greatest, 1. / (error_order + 1));
  return std::min(100 * probe, h);
}

}  // namespace torsor
