#include "guard.hpp"
#include "make.hpp"
#include "memory.hpp"
#include "torsor/integrators/generalized_alpha.hpp"

namespace torsor {
namespace {

/// The value at the time `ahead` after `now` on the parabola through `before`, `last` and `now`, which are
/// one unit of time apart.
auto on_parabola(double ahead, const Vec& before, const Vec& last, const Vec& now) {
  const double r = ahead;
  return (r + 1) * (r + 2) / 2 * now - r * (r + 2) * last + r * (r + 1) / 2 * before;
}

}  // namespace

bool GeneralizedAlpha::multipliers(const State& x, VecOut lambda) const {
  if (!(x.memory.size() > 0) || x.memory[0] != int(memory::Kind::constrained_alpha)) return false;
  if (x.memory.size() != memory::head + 5 * x.v.size() + 3 * lambda.size() + 1) return false;
  lambda = memory::more(x, 5).head(lambda.size());
  return true;
}

/// Sets a_, b_ and lambda_, the method's own velocity v_, and the first guesses trial_ and trial_lambda_ of
/// Newton's method.
void GeneralizedAlpha::begin(const ConstrainedSystem& system, const State& x, double t, double h) {
  const auto m = lambda_.size();
  v_ = x.v;
  double ratio = 1;
  if (recall(x, t, h, 5)) {
    ratio = h / x.memory[x.memory.size() - 1];
    v_ += ratio * ratio * memory::values(x, 2);
    a_last_ = memory::values(x, 3), a_before_ = memory::values(x, 4);
    const auto lambdas = memory::more(x, 5);
    lambda_ = lambdas.head(m), lambda_last_ = lambdas.segment(m, m),
    lambda_before_ = lambdas.segment(2 * m, m);
  } else {
    ++evaluations_;
    system.acceleration(t, x.q, x.v, a_, lambda_);
    start_shifted(system, x, t, h);
    a_last_ = a_ - h * rate_, a_before_ = a_ - 2 * h * rate_;
    lambda_last_ = lambda_before_ = lambda_;
    if (form_ == Treatment::index_3) start_normal(system, x, t, h);
  }
  trial_ = on_parabola(ratio, a_before_, a_last_, a_);
  trial_lambda_ = on_parabola(ratio, lambda_before_, lambda_last_, lambda_);
}

/// Adds to v_ the normal component that the method maintains with index 3 (formula at the class). The
/// bracket comes from the odd part of dexp_inv: h ad_v a = dexp_inv(h v) a - dexp_inv(-h v) a.
void GeneralizedAlpha::start_normal(const ConstrainedSystem& system, const State& x, double t, double h) {
  const auto& holonomic = system.holonomic();
  xi_ = h * x.v;
  system.dexp_inv(xi_, a_, normal_);
  xi_ = -xi_;
  system.dexp_inv(xi_, a_, a_next_);
  normal_ = (normal_ - a_next_) / (12 * h);
  normal_ += (1. / 6 - shift() / 2 - p_.beta) * rate_;
  rows_.resize(lambda_.size());
  system.constraint_times(t, x.q, normal_, rows_);
  for (Eigen::Index j = 0; j < rows_.size(); ++j)
    if (!holonomic[std::size_t(j)]) rows_[j] = 0;
  zero_.setZero(system.nv());
  trial_lambda_.resize(lambda_.size());
  system.solve(t, x.q, zero_, rows_, normal_, trial_lambda_);
  v_ += h * h * normal_;
}

/// Projects next_ onto the constraints. normal_ becomes the part of the velocity that the projection
/// removes with index 3, and zero otherwise.
void GeneralizedAlpha::meet_constraints(const ConstrainedSystem& system, double t) {
  if (form_ != Treatment::index_3) system.project_position(t, next_.q);
  normal_ = next_.v;
  system.project_velocity(t, next_.q, next_.v);
  if (form_ == Treatment::index_3)
    normal_ -= next_.v;
  else
    normal_.setZero();
}

StepStatus GeneralizedAlpha::step(const ConstrainedSystem& system, State& x, double t, double h) {
  resize(system, system.rows());
  begin(system, x, t, h);
  const auto move = [&](const Vec& a) {
    ++evaluations_;
    advance(system, x, h, a);
    if (form_ == Treatment::stabilised_index_2) system.project_position(t + h, next_.q);
  };
  const double c = (1 - p_.alpha_f) / (1 - p_.alpha_m);
  const auto level =
      form_ == Treatment::index_3 ? ConstrainedNewton::Level::position : ConstrainedNewton::Level::velocity;
  if (!constrained_newton_.solve({system, t + h, p_.gamma * c * h, p_.beta * c * h * h, level}, move, next_,
                                 xi_, trial_, trial_lambda_)) {
    message_ = constrained_newton_.failure();
    return StepStatus::newton_failed;
  }
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, xi_, message_)) return StepStatus::rejected;
  meet_constraints(system, t + h);
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  memory::store(x, memory::Kind::constrained_alpha, t + h, trial_, b_next_, normal_, a_, a_last_,
                trial_lambda_, lambda_, lambda_last_, Vector<double, 1>(h));
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_generalized_alpha(Treatment form) {
  const bool own = form == Treatment::index_3 || form == Treatment::stabilised_index_2;
  return std::make_unique<GeneralizedAlpha>(0.9, own ? form : Treatment::index_2);
}

}  // namespace torsor
