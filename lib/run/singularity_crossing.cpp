#include "singularity_crossing.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace torsor::mechanics {
namespace {

/// Positions of the singular configuration within the step, as fractions of the step, in the order of the
/// attempts. No method has a stage at the first two; those of rkmk-dopri8 come within 0.005 of them.
constexpr std::array positions{0.56, 0.46, 0.25, 0.75};

/// If the singular configuration is nearer than this fraction of the planned distance, any step passes it.
constexpr double always_passed = 0.2;

/// A step smaller than this fraction of the step size used before the singular configuration cannot pass the
/// singular configuration; the run then goes back or fails.
constexpr double lost = 1e-4;

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

SingularityCrossing::SingularityCrossing(double t_begin)
    : t_begin_(t_begin),
      regular_start_{-infinity, CompensatedTime(t_begin), {}, {}},
      furthest_(regular_start_) {}

/// The time of the singular configuration is known if steps have shrunk there. Otherwise it is extrapolated
/// from the last two steps.
double SingularityCrossing::ahead(double t) const {
  return place_ > t ? place_ - t : regular_ * (t - t_before_) / (regular_before_ - regular_);
}

double SingularityCrossing::choose(double t, double wish) {
  const double before = positions[rejected_ % positions.size()] * wish, to_place = ahead(t);
  across_ = always_passed * before < to_place && to_place <= 1.1 * before;
  if (across_) return wish * to_place / before;
  return before < to_place && to_place < before + wish ? to_place - before : wish;
}

double SingularityCrossing::least_step() const { return lost * ordinary_; }

void SingularityCrossing::accept(const Moment& start, const StepError& error) {
  if (!error.near_singular() || error.leaves_singular()) regular_start_ = start;
  regular_before_ = std::exchange(regular_, across_ ? 0 : 1 / std::sqrt(error.condition));
  t_before_ = start.t;
}

bool SingularityCrossing::reject(double h, bool within_reach, double noise) {
  if (!within_reach || !(noise < least_noise_)) return false;
  least_noise_ = noise, quietest_ = h;
  return true;
}

/// The noise is proportional to h d^-3, where d is the distance of the second stage from the singular
/// configuration. The distance d is proportional to h, or from rest to h^2. So the noise falls as h^-2 to
/// h^-5, and no attempt is longer than needed. The goal is half of the permitted noise, so that the attempts
/// end.
double SingularityCrossing::farther(double h, double noise) { return h * std::pow(2 * noise, 1. / 5); }

bool SingularityCrossing::try_elsewhere() {
  ++rejected_;
  if (++tries_ < positions.size()) return true;
  tries_ = 0;
  return false;
}

void SingularityCrossing::forget_attempts() {
  tries_ = 0;
  least_noise_ = quietest_ = infinity;
}

const Moment* SingularityCrossing::go_back(const Moment& now) {
  if (regular_start_.t > furthest_.t) returns_ = 0;
  if (regular_start_.t < t_begin_ || returns_ == positions.size()) return nullptr;
  if (returns_++ > 0) ++rejected_;
  if (now.t > furthest_.t) furthest_ = now;
  place_ = now.t;
  regular_ = regular_before_ = 0;
  forget_attempts();
  return &regular_start_;
}

}  // namespace torsor::mechanics
