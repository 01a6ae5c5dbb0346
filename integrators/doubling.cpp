#include "integrators/doubling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "guard.hpp"

namespace torsor {
namespace {

/// A component counts as determined if a change of the projected velocity changes it by less than this
/// fraction. It is a thousand times the rounding error of projections. A start 1e-6 rad from a singular
/// configuration leaves about 1e-7 of a component that is free elsewhere.
constexpr double unchanged = 1e-11;

}  // namespace

Doubling::Doubling(std::unique_ptr<Stepper> method) : method_(std::move(method)) {}

bool Doubling::advance(const System& system, State& x, double t, double h) {
  status_ = method_->do_step(system, x, t, h);
  if (status_ != StepStatus::accepted) message_ = method_->message(), part_ = method_->part();
  return status_ == StepStatus::accepted;
}

/// Sets missed_ to the difference of the displacement from x to fine_ from that of Simpson's rule in the
/// exponential chart xi at the middle of the step,
///
///   h / 6 (xi'(t) + 4 xi'(t + h / 2) + xi'(t + h)),   xi' = dexp_inv(xi) v.
///
/// Returns whether it exceeds a quarter of h times the greatest of the three speeds. In an oscillation
/// through 2 rad in a step, it is 0.006 of this product, in one through 3 rad 0.03; on another branch of the
/// constraints it is about 1.
bool Doubling::leaves_velocities(const System& system, const State& x, double t, double h) {
  const auto n = x.v.size();
  const VelocityMap* const map = system.velocity_map();
  none_.setZero(n), sum_.setZero(n), missed_.setZero(n), velocity_.resize(n), xi_.resize(n);
  double speed = 0;
  const auto add = [&](const State& at, double time, double weight, double sign) {
    if (map)
      map->velocity(time, at.q, at.v, velocity_);
    else
      velocity_ = at.v;
    velocity_.tail(system.additions()).setZero();
    speed = std::max(speed, system.error_norm(at, velocity_, none_));
    if (sign != 0) {
      system.local_difference(middle_.q, at.q, xi_);
      system.dexp_inv(xi_, velocity_, velocity_);
      missed_ += sign * xi_;
    }
    sum_ += weight * velocity_;
  };
  add(x, t, 1, -1), add(middle_, t + h / 2, 4, 0), add(fine_, t + h, 1, 1);
  missed_ -= h / 6 * sum_;
  missed_.tail(system.additions()).setZero();
  return !(system.error_norm(middle_, missed_, none_) <= std::abs(h) * speed / 4);
}

/// Finds the components of the velocity that the constraints determine. A projection gives such a component
/// the same value from any velocity. The treatments `minimal`, `dynamic` and `viscous` do not project
/// positions, so their estimates contain all errors, and no component counts as determined. The search is
/// made at the starts of the first steps, where the step needs the factors of the constraint rows too. At the
/// end of a later step, new factors would change the condition that RankMonitor finds. A component may be
/// determined at a single place, such as the height of a pendulum at its lowest point, so it must be determined
/// at each of `places` different states.
void Doubling::find_determined(const ConstrainedSystem& system, const State& x, double t) {
  constexpr int places = 3;
  if (searched_ != &system) searched_ = &system, searches_ = 0;
  if (searches_ > 0 && (searches_ == places || determined_.empty() || x.q == searched_at_)) return;
  const bool first = searches_++ == 0;
  searched_at_ = x.q;
  if (first) determined_.clear();
  const auto treatment = system.treatment();
  if (treatment == Treatment::minimal || treatment == Treatment::dynamic || treatment == Treatment::viscous)
    return;
  const int n = system.nv() - system.additions();
  velocity_ = x.v, sum_ = x.v;
  for (int i = 0; i < n; ++i) velocity_[i] += std::sin(1. + i);
  const double changed = (velocity_ - sum_).norm();
  system.project_velocity(t, x.q, velocity_);
  system.project_velocity(t, x.q, sum_);
  const auto is_free = [&](int i) { return !(std::abs(velocity_[i] - sum_[i]) < unchanged * changed); };
  for (int i = 0; first && i < n; ++i) determined_.push_back(i);
  std::erase_if(determined_, is_free);
}

/// Raises the error to the difference from Simpson's rule where the estimate is blind. Components that the
/// constraints determine have the same value after whole and half steps. All components are raised if the
/// step may have reached another branch of the constraints (`leaves_velocities`).
void Doubling::see_missed(bool leaves_velocities, Vec& error) const {
  const auto see = [&](Eigen::Index i) { error[i] = std::max(std::abs(error[i]), std::abs(missed_[i])); };
  for (const int i : determined_) see(i);
  for (Eigen::Index i = 0; leaves_velocities && i < missed_.size(); ++i) see(i);
}

StepStatus Doubling::do_step(const System& system, State& x, double t, double h, Vec* error) {
  return guarded(message_, part_, h, [&] {
    const bool guards = error && system.constrained();
    if (guards) find_determined(*system.constrained(), x, t);
    fine_ = x;
    if (!advance(system, fine_, t, h / 2)) return status_;
    if (guards) middle_.q = fine_.q, middle_.v = fine_.v;
    if (!advance(system, fine_, t + h / 2, h / 2)) return status_;
    if (error) {
      coarse_ = x;
      if (!advance(system, coarse_, t, h)) return status_;
      const auto n = x.v.size();
      error->resize(2 * n);
      system.local_difference(coarse_.q, fine_.q, error->head(n));
      error->tail(n) = fine_.v - coarse_.v;
      *error /= std::ldexp(1., method_->order()) - 1;
      if (guards) see_missed(leaves_velocities(system, x, t, h), *error);
      if (!error->allFinite()) {
        message_ = "the error estimate is not finite";
        return StepStatus::rejected;
      }
    }
    std::swap(x, fine_);
    return StepStatus::accepted;
  });
}

}  // namespace torsor
