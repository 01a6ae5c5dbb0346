#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>

#include "torsor/lie/detail/exp_log.hpp"
#include "torsor/lie/detail/real_functions.hpp"
#include "torsor/lie/scalar.hpp"

namespace torsor {

/// The order p of an error estimate, which is proportional to h^(p + 1): the lower one of the orders of the
/// two solutions that it compares.
constexpr int estimate_order(int order, int embedded_order) { return std::min(order, embedded_order); }
/// The same for a method that is a template over fields.
template <class Method>
inline constexpr int estimate_order_of = estimate_order(Method::order, Method::embedded_order);

struct PiOptions {
  double safety = 0.9;
  double least_factor = 0.2, greatest_factor = 8;  ///< bounds of h' / h
};

/// The numbers that PiControl keeps from one step to the next.
struct PiMemory {
  double last = 0;      ///< log2 of the error of the last accepted step; 0 before the first
  double rejected = 0;  ///< 1 if the last step was rejected, else 0
};

/// Proportional-integral control of the step size h. With e = estimated local error / tolerance and k = 1 +
/// estimate_order, e is proportional to h^k. After an accepted step
///
///   h' = h safety e^(-alpha) e_last^beta,   beta = 0.2 / k,   alpha = 1/k - 3/4 beta,
///
/// and after a rejected step h' = h safety e^(-1/k). The step size does not grow after the first step that is
/// accepted after a rejection. The error e_last of the last accepted step damps the oscillation of h where
/// stability, not accuracy, limits the step size.
/// Gustafsson, ACM TOMS 17 (1991) 533-554; Hairer, Norsett, Wanner, Solving ODEs I, II.4, and II, IV.2.
///
/// `Scalar` may be a pack: each lane is controlled separately, with the same bits as a double.
template <class Scalar>
class PiControl {
 public:
  using Mask = decltype(Scalar(0) < Scalar(0));
  struct Decision {
    Mask accept;
    Scalar factor;  ///< next step / this step
  };

  explicit PiControl(int error_order, const PiOptions& options = {})
      : options_(options), k_(1. / (error_order + 1)), beta_(0.2 * k_), alpha_(k_ - 0.75 * beta_) {}

  /// `error` is relative to the tolerance. A step is accepted if error <= 1, so a NaN is rejected.
  Decision judge(const Scalar& error) {
    const Mask known = error - error == Scalar(0), accept = error <= Scalar(1);
    // The lower bound keeps an error that is accidentally near zero from setting the next step size.
    const auto log = binary_log(torsor::max(Scalar(1e-4), error));
    // The next step waits for its size, so two powers are computed side by side, and the bounds do not depend
    // on the logarithm.
    const Scalar exponent = torsor::select(accept, Scalar(alpha_), Scalar(k_));
    const Scalar past = torsor::select(accept, Scalar(Scalar(beta_) * last_), Scalar(0));
    const Scalar power = torsor::max(Scalar(past - exponent * log.whole), Scalar(-100));
    const Scalar wish =
        power_of_two(power) * (Scalar(options_.safety) * near_power_of_two(Scalar(-exponent * log.rest)));
    const Scalar least(options_.least_factor);
    const Scalar onward = torsor::select(rejected_ > Scalar(0), Scalar(1), Scalar(options_.greatest_factor));
    const Scalar back = torsor::select(known, Scalar(greatest_retry), least);
    const Scalar greatest = torsor::select(accept, onward, back);
    last_ = torsor::select(accept, Scalar(log.whole + log.rest), last_);
    rejected_ = torsor::select(accept, Scalar(0), Scalar(1));
    return {accept, torsor::min(torsor::max(wish, least), greatest)};
  }

  /// A rejection for a failure without an error estimate (a turn too large, a force that became infinite).
  Decision reject(double factor) requires std::floating_point<Scalar> {
    rejected_ = 1;
    return {false, std::min(factor, greatest_retry)};
  }

  /// Starts the control of one lane, or continues that of another object with the same options.
  void begin(int lane, const PiMemory& from = {}) {
    ScalarOps<Scalar>::set(last_, lane, from.last);
    ScalarOps<Scalar>::set(rejected_, lane, from.rejected);
  }
  PiMemory memory(int lane) const { return {torsor::lane(last_, lane), torsor::lane(rejected_, lane)}; }

 private:
  static constexpr double greatest_retry = 0.9;

  PiOptions options_;
  double k_, beta_, alpha_;
  Scalar last_{0}, rejected_{0};  ///< PiMemory of each lane
};
using PiController = PiControl<double>;

/// The time (s) over which the change of the field is measured for `first_step`. `rate`: the size of the
/// field at the start, 1/s, in the norm of the error.
inline double probe_step(double rate) { return rate < 1e-5 ? 1e-6 : 0.01 / rate; }
/// The same, but at most `span`, the time to the end of the integration: the field need not be defined after
/// the end.
inline double probe_step(double rate, double span) { return std::min(probe_step(rate), span); }
/// First step size (s) of a method whose local error is proportional to h^k, k = error_order + 1. It depends
/// on two sizes in the norm of the error: the size `rate` of the field (xi', v') at the start, and `change`,
/// the change of the field per second, measured over `probe_step`. Hairer, Norsett, Wanner, Solving ODEs
/// I, II.4, with 1 in place of the norm of the state: a configuration has no norm, and the error norm already
/// divides velocities by 1 + their size. If `change` is not finite, it is left out.
inline double first_step(double rate, double change, double tolerance, int error_order) {
  const double probe = probe_step(rate);
  const double greatest = std::isfinite(change) ? std::max(rate, change) : rate;
  const double h = greatest <= 1e-15 ? std::max(1e-6, probe * 1e-3)
                                     : real::pow(0.01 * tolerance / greatest, 1. / (error_order + 1));
  return std::min(100 * probe, h);
}

}  // namespace torsor
