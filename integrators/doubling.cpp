#include "integrators/doubling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "guard.hpp"

namespace torsor {

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
/// Returns whether it exceeds a quarter of h times the greatest of the three speeds. In an oscillation through
/// 2 rad in a step, it is 0.006 of this product, in one through 3 rad 0.03; on another branch of the
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
  const double missed = system.error_norm(middle_, missed_, none_);
  return !(missed <= std::abs(h) * speed / 4 + std::sqrt(std::numeric_limits<double>::epsilon()));
}

/// Where the constraints determine a component of the velocity, whole and half steps end with the same value,
/// and the estimate is blind to the size of the step. There the difference from Simpson's rule is the error.
/// A component is determined if it does not depend on the velocity that the constraints are given. The
/// treatments `minimal`, `dynamic` and `viscous` do not project positions, so their estimates see all errors.
void Doubling::see_determined(const ConstrainedSystem& system, double t, Vec& error) {
  const auto treatment = system.treatment();
  if (treatment == Treatment::minimal || treatment == Treatment::dynamic || treatment == Treatment::viscous)
    return;
  const auto n = missed_.size();
  const double least = std::sqrt(std::numeric_limits<double>::epsilon());
  if (!(system.error_norm(fine_, missed_, none_) > system.error_norm(fine_, error.head(n), none_))) return;
  velocity_ = fine_.v;
  for (Eigen::Index i = 0; i < n - system.additions(); ++i) velocity_[i] += std::sin(1. + double(i));
  xi_ = velocity_ - fine_.v;
  system.project_velocity(t, fine_.q, velocity_);
  velocity_ -= fine_.v;
  for (Eigen::Index i = 0; i < n - system.additions(); ++i)
    if (std::abs(velocity_[i]) < least * xi_.norm())
      error[i] = std::max(std::abs(error[i]), std::abs(missed_[i]));
}

StepStatus Doubling::do_step(const System& system, State& x, double t, double h, Vec* error) {
  return guarded(message_, part_, h, [&] {
    fine_ = x;
    if (!advance(system, fine_, t, h / 2)) return status_;
    const bool guards = error && system.constrained();
    if (guards) middle_.q = fine_.q, middle_.v = fine_.v;
    if (!advance(system, fine_, t + h / 2, h / 2)) return status_;
    if (guards && leaves_velocities(system, x, t, h)) {
      message_ =
          "the displacement in the step does not follow from the velocities: the step is too large, or "
          "leaves the branch of the constraints";
      return StepStatus::rejected;
    }
    if (error) {
      coarse_ = x;
      if (!advance(system, coarse_, t, h)) return status_;
      const auto n = x.v.size();
      error->resize(2 * n);
      system.local_difference(coarse_.q, fine_.q, error->head(n));
      error->tail(n) = fine_.v - coarse_.v;
      *error /= std::ldexp(1., method_->order()) - 1;
      if (guards) see_determined(*system.constrained(), t + h, *error);
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
