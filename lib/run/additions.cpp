#include "additions.hpp"

#include <algorithm>
#include <cmath>

namespace torsor::mechanics {

State with_additions(const System& system, const State& start) {
  State x{start.q, Vec::Zero(system.nv()), {}};
  x.v.head(start.v.size()) = start.v;
  return x;
}

double take_work(State& x) {
  const double work = x.v[x.v.size() - 1];
  x.v.conservativeResize(x.v.size() - 1);
  return work;
}

// ---- the group

template <class Base>
void WithAdditions<Base>::retract(VecIn q, VecIn xi, VecOut q_next) const {
  motion_.retract(q, xi.head(nv_), q_next);
}
template <class Base>
void WithAdditions<Base>::local_difference(VecIn q, VecIn p, VecOut xi) const {
  motion_.local_difference(q, p, xi.head(nv_));
  behind_motion(xi).setZero();
}
template <class Base>
void WithAdditions<Base>::dexp(VecIn xi, VecIn w, VecOut out) const {
  motion_.dexp(xi.head(nv_), w.head(nv_), out.head(nv_));
  behind_motion(out) = behind_motion(w);
}
template <class Base>
void WithAdditions<Base>::dexp_inv(VecIn xi, VecIn w, VecOut out) const {
  motion_.dexp_inv(xi.head(nv_), w.head(nv_), out.head(nv_));
  behind_motion(out) = behind_motion(w);
}
template <class Base>
void WithAdditions<Base>::acceleration(double t, VecIn q, VecIn v, VecOut a) const {
  set_states(v);
  if (powered_)
    powered_->acceleration_and_power(t, q, v.head(nv_), a.head(nv_), a[a.size() - 1]);
  else
    motion_.acceleration(t, q, v.head(nv_), a.head(nv_));
  set_rates(t, q, v, a);
}
template <class Base>
void WithAdditions<Base>::velocity(double t, VecIn q, VecIn v, VecOut out) const {
  set_states(v);
  behind_motion(out) = behind_motion(v);
  motion_.velocity_map()->velocity(t, q, v.head(nv_), out.head(nv_));
}
template <class Base>
double WithAdditions<Base>::error_norm(const State& x, VecIn xi, VecIn dv) const {
  x_.q = x.q, x_.v = x.v.head(nv_);
  double greatest = motion_.error_norm(x_, xi.head(nv_), dv.head(nv_));
  for (Eigen::Index i = nv_; i < nv_ + count_; ++i) {
    const double error = std::abs(dv[i]) / (1 + std::abs(x.v[i]));
    if (!(error <= greatest) && !std::isnan(greatest)) greatest = error;  // also NaN, which then stays
  }
  return greatest;
}

template class WithAdditions<System>;
template class WithAdditions<ConstrainedSystem>;

// ---- the tangent

namespace {

/// Relative step of differences: near the square root of the rounding unit.
constexpr double difference_step = 1e-7;

}  // namespace

TangentWithAdditions::TangentWithAdditions(const System& motion, const PoweredRows* rows)
    : motion_(motion),
      constrained_(motion.constrained()),
      rows_(rows),
      states_(motion.own_states()),
      nv_(motion.nv()),
      count_(states_ ? states_->count() : 0) {}

void TangentWithAdditions::factor(const Linearisation& at) {
  t_ = at.t, c_v_ = at.c_v, c_q_ = at.c_q;
  row_scale_ = at.level == Level::position ? c_q_ / c_v_ : 1;
  x_.q = at.x.q, x_.v = at.x.v.head(nv_);
  a_ = at.a.head(nv_), lambda_ = at.lambda, xi_ = at.xi.head(nv_), z_ = at.x.v.segment(nv_, count_);
  a0_.setZero(at.lambda.size());
  if (rows_) rows_->row_offsets(at.t, x_.q, a0_);
  if (states_) states_->set(z_);
  motion_.tangent()->factor({at.t, x_, a_, lambda_, xi_, at.c_v, at.c_q, at.level});
  if (states_) border();
}

/// The residual of the equations of motion at a_ and lambda_.
void TangentWithAdditions::residual(const Vec& v, Vec& r) const {
  if (constrained_) return constrained_->imbalance(t_, x_.q, v, a_, lambda_, r);
  Vec change(nv_);
  motion_.acceleration(t_, x_.q, v, change);
  change = a_ - change;
  motion_.tangent()->metric_times(t_, x_.q, change, r);
}

Vec TangentWithAdditions::rates(VecIn q, const Vec& v) const {
  Vec out(count_);
  states_->rates(t_, q, v, out);
  return out;
}

/// The change of the rates of z for da.
Vec TangentWithAdditions::rates_along(const Vec& da) const {
  const double size = da.size() ? da.lpNorm<Eigen::Infinity>() : 0;
  if (!(size > 0)) return Vec::Zero(count_);
  const double step = difference_step * (1 + x_.v.lpNorm<Eigen::Infinity>()) / (std::max(c_v_, c_q_) * size);
  Vec moved(nv_), q(x_.q.size());
  motion_.dexp(xi_, da, moved);
  moved *= step * c_q_;
  motion_.retract(x_.q, moved, q);
  return (rates(q, x_.v + step * c_v_ * da) - rates_) / step;
}

void TangentWithAdditions::border() {
  const auto m = lambda_.size();
  motion_of_z_.resize(nv_, count_), multipliers_of_z_.resize(m, count_), schur_.resize(count_, count_);
  Vec r0(nv_), r(nv_), da(nv_), dl(m);
  Vec psi0 = Vec::Zero(m), psi = psi0;
  residual(x_.v, r0);
  if (constrained_) constrained_->velocity_residual(t_, x_.q, x_.v, psi0);
  rates_ = rates(x_.q, x_.v);
  for (int j = 0; j < count_; ++j) {
    Vec z = z_;
    const double step = difference_step * (1 + std::abs(z[j]));
    z[j] += step;
    states_->set(z);
    residual(x_.v, r);
    if (constrained_) constrained_->velocity_residual(t_, x_.q, x_.v, psi);
    schur_.col(j) = -c_v_ / step * (rates(x_.q, x_.v) - rates_);
    schur_(j, j) += 1;
    states_->set(z_);
    r = c_v_ / step * (r - r0);
    psi = row_scale_ * c_v_ / step * (psi - psi0);
    for (Eigen::Index i = 0; i < m && row_scale_ != 1; ++i)
      if (constrained_->holonomic()[static_cast<std::size_t>(i)]) psi[i] = 0;
    motion_.tangent()->solve(r, psi, da, dl);
    motion_of_z_.col(j) = da, multipliers_of_z_.col(j) = dl;
    schur_.col(j) += rates_along(da);
  }
}

void TangentWithAdditions::solve(VecIn r, VecIn s, VecOut da, VecOut dl) {
  rest_ = r.tail(r.size() - nv_);
  motion_.tangent()->solve(r.head(nv_), s, da.head(nv_), dl);
  if (states_) {
    states_->set(z_);  // an evaluation since `factor` may have set other states
    const Vec of_z = rest_.head(count_) + rates_along(da.head(nv_));
    const Vec dz = linear::solve_by_lu(schur_, of_z);
    for (int j = 0; j < count_; ++j) {
      da.head(nv_) -= dz[j] * motion_of_z_.col(j);
      dl -= dz[j] * multipliers_of_z_.col(j);
    }
    da.segment(nv_, count_) = dz;
  }
  if (rest_.size() > count_) da[da.size() - 1] = rest_[count_] - a0_.dot(dl);
}

void TangentWithAdditions::metric_times(double t, VecIn q, VecIn w, VecOut out) const {
  out.tail(out.size() - nv_) = w.tail(w.size() - nv_);
  motion_.tangent()->metric_times(t, q, w.head(nv_), out.head(nv_));
}

// ---- the constraints

/// The power -lambda a0 of moving constraints.
double ConstrainedWithAdditions::row_power(double t, VecIn q, VecIn lambda) const {
  if (!powered_rows_) return 0;
  powered_rows_->row_offsets(t, q, a0_);
  return -a0_.dot(lambda);
}

void ConstrainedWithAdditions::add_row_power(double t, VecIn q, VecIn lambda, VecOut out) const {
  if (powered_rows_) out[out.size() - 1] += row_power(t, q, lambda);
}

/// The rates of the own states, and the power of the loads.
void ConstrainedWithAdditions::set_load_rates(double t, VecIn q, VecIn v, VecOut out) const {
  set_rates(t, q, v, out);
  if (powered_rows_) out[out.size() - 1] = powered_rows_->load_power(t, q, v.head(nv_));
}

void ConstrainedWithAdditions::force(double t, VecIn q, VecIn v, VecOut f) const {
  set_states(v);
  set_load_rates(t, q, v, f);
  motion_.force(t, q, v.head(nv_), f.head(nv_));
}
void ConstrainedWithAdditions::metric_times(double t, VecIn q, VecIn w, VecOut out) const {
  behind_motion(out) = behind_motion(w);
  motion_.metric_times(t, q, w.head(nv_), out.head(nv_));
}
void ConstrainedWithAdditions::mass_times(double t, VecIn q, VecIn v, VecIn w, VecOut out) const {
  behind_motion(out) = behind_motion(w);
  motion_.mass_times(t, q, v.head(nv_), w.head(nv_), out.head(nv_));
}
void ConstrainedWithAdditions::constraint_times(double t, VecIn q, VecIn w, VecOut out) const {
  motion_.constraint_times(t, q, w.head(nv_), out);
}
void ConstrainedWithAdditions::reaction(double t, VecIn q, VecIn lambda, VecOut out) const {
  const double last = row_power(t, q, lambda);
  motion_.reaction(t, q, lambda, out.head(nv_));
  behind_motion(out).setZero();
  if (powered_rows_) out[out.size() - 1] = last;
}
void ConstrainedWithAdditions::position_residual(double t, VecIn q, VecOut phi) const {
  motion_.position_residual(t, q, phi);
}
void ConstrainedWithAdditions::velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const {
  set_states(v);
  motion_.velocity_residual(t, q, v.head(nv_), psi);
}
void ConstrainedWithAdditions::constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const {
  set_states(v);
  motion_.constraint_bias(t, q, v.head(nv_), gamma);
}
void ConstrainedWithAdditions::imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const {
  rest_ = behind_motion(a);
  set_states(v);
  motion_.imbalance(t, q, v.head(nv_), a.head(nv_), lambda, r.head(nv_));
  set_load_rates(t, q, v, r);
  behind_motion(r) = rest_ - behind_motion(r);
  if (powered_rows_) r[r.size() - 1] -= row_power(t, q, lambda);
}
void ConstrainedWithAdditions::acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const {
  set_states(v);
  motion_.acceleration(t, q, v.head(nv_), a.head(nv_), lambda);
  set_load_rates(t, q, v, a);
  add_row_power(t, q, lambda, a);
}
void ConstrainedWithAdditions::solve(Factors which, double t, VecIn q, VecIn r, VecIn s, VecOut x,
                                     VecOut y) const {
  behind_motion(x) = behind_motion(r);
  motion_.solve(which, t, q, r.head(nv_), s, x.head(nv_), y);
  add_row_power(t, q, y, x);
}
void ConstrainedWithAdditions::solve_with_mass(Factors which, double t, VecIn q, VecIn v, VecIn r, VecIn s,
                                               VecOut x, VecOut y) const {
  set_states(v);
  behind_motion(x) = behind_motion(r);
  motion_.solve_with_mass(which, t, q, v.head(nv_), r.head(nv_), s, x.head(nv_), y);
  add_row_power(t, q, y, x);
}
bool ConstrainedWithAdditions::project_position(double t, VecOut q) const {
  return motion_.project_position(t, q);
}
void ConstrainedWithAdditions::project_velocity(double t, VecIn q, VecOut v) const {
  set_states(v);
  motion_.project_velocity(t, q, v.head(nv_));
}

}  // namespace torsor::mechanics
