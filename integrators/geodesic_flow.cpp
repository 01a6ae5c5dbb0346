#include "torsor/integrators/geodesic_flow.hpp"

#include <algorithm>
#include <cmath>

#include "make.hpp"
#include "torsor/integrators/step_control.hpp"

namespace torsor {
namespace {

/// Tolerance of one inner step, relative to the greater of 1 and the motion in that step.
constexpr double tolerance = 1e-14;
constexpr int most_steps = 10'000;
/// Least inner step / whole step. A failed inner step that is not larger ends the flow.
constexpr double least_part = 1e-16;

}  // namespace

/// G^-1 ad_v^T G v, by dexp_inv(u) - dexp_inv(-u) = ad_u. dexp_inv has poles at rotations by 2 pi. Since ad
/// is linear, u is v times a small factor, by which the difference is divided.
void GeodesicSystem::acceleration(double, VecIn, VecIn v, VecOut a) const {
  for (Vec* one : {&p_, &xi_, &forth_, &back_}) one->resize(v.size());
  const double scale = 1 / (1 + v.lpNorm<Eigen::Infinity>());
  equations_->momentum(v, p_);
  xi_ = scale * v;
  equations_->dexp_inv_transpose(xi_, p_, forth_);
  xi_ = -xi_;
  equations_->dexp_inv_transpose(xi_, p_, back_);
  p_ = (forth_ - back_) / scale;
  equations_->momentum_inverse(p_, a);
}

/// The metric is left-invariant, so the rates do not depend on the configuration.
void GeodesicSystem::chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const {
  dexp_inv(xi, v, xi_rate);
  acceleration(t, q, v, a);
}

GeodesicFlow::GeodesicFlow() : stepper_(make_rkmk_dop853()) {}

double GeodesicFlow::relative_error(const State& x, double h) {
  const auto n = x.v.size();
  xi_ = h * x.v;
  none_.setZero(n);
  const double motion = std::max(1., geodesics_.error_norm(x, xi_, none_));
  return geodesics_.error_norm(x, error_.head(n), error_.tail(n)) / (tolerance * motion);
}

StepStatus GeodesicFlow::follow(const System& system, State& x, double h) {
  geodesics_.bind(system);
  now_.q = x.q;
  now_.v = x.v;
  PiController control(estimate_order(stepper_->order(), stepper_->embedded_order()));
  double left = h, wish = h;
  for (int i = 0; i < most_steps; ++i) {
    const double step = std::abs(wish) < std::abs(left) ? wish : left;
    trial_.q = now_.q;
    trial_.v = now_.v;
    const StepStatus status = stepper_->do_step(geodesics_, trial_, 0, step, &error_);
    const bool retry = status != StepStatus::callback_failed && std::abs(step) > least_part * std::abs(h);
    if (status != StepStatus::accepted && !retry) {
      message_ = stepper_->message();
      return status;
    }
    const auto [stands, factor] =
        status == StepStatus::accepted ? control.judge(relative_error(now_, step)) : control.reject(0.3);
    wish = factor * step;
    if (!stands) continue;
    now_.q.swap(trial_.q);
    now_.v.swap(trial_.v);
    if (step == left) {
      x.q.swap(now_.q);
      x.v.swap(now_.v);
      return StepStatus::accepted;
    }
    left -= step;
  }
  message_ = "a geodesic within this step takes more than " + std::to_string(most_steps) + " inner steps";
  return StepStatus::rejected;
}

}  // namespace torsor
