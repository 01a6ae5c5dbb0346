#include "work_system.hpp"

namespace torsor::mechanics {

State with_no_work(const State& motion) {
  State x;
  x.q = motion.q;
  x.v.setZero(motion.v.size() + 1);
  x.v.head(motion.v.size()) = motion.v;
  return x;
}

void split_work(const State& x, State& motion, double& work) {
  const auto nv = x.v.size() - 1;
  motion.q = x.q, motion.v = x.v.head(nv);
  work = x.v[nv];
}

// ---- the group

template <class Base>
void WithWork<Base>::retract(VecIn q, VecIn xi, VecOut q_next) const {
  motion_.retract(q, xi.head(nv_), q_next);
}
template <class Base>
void WithWork<Base>::local_difference(VecIn q, VecIn p, VecOut xi) const {
  motion_.local_difference(q, p, xi.head(nv_));
  xi[nv_] = 0;
}
template <class Base>
void WithWork<Base>::dexp(VecIn xi, VecIn w, VecOut out) const {
  motion_.dexp(xi.head(nv_), w.head(nv_), out.head(nv_));
  out[nv_] = w[nv_];
}
template <class Base>
void WithWork<Base>::dexp_inv(VecIn xi, VecIn w, VecOut out) const {
  motion_.dexp_inv(xi.head(nv_), w.head(nv_), out.head(nv_));
  out[nv_] = w[nv_];
}
template <class Base>
void WithWork<Base>::acceleration(double t, VecIn q, VecIn v, VecOut a) const {
  powered_.acceleration_and_power(t, q, v.head(nv_), a.head(nv_), a[nv_]);
}
template <class Base>
void WithWork<Base>::velocity(double t, VecIn q, VecIn v, VecOut out) const {
  const double last = v[nv_];
  motion_.velocity_map()->velocity(t, q, v.head(nv_), out.head(nv_));
  out[nv_] = last;
}
template <class Base>
double WithWork<Base>::error_norm(const State& x, VecIn xi, VecIn dv) const {
  x_.q = x.q, x_.v = x.v.head(nv_);
  return motion_.error_norm(x_, xi.head(nv_), dv.head(nv_));
}

template class WithWork<System>;
template class WithWork<ConstrainedSystem>;

// ---- the tangent

void WorkTangent::factor(const Linearisation& at) {
  const int nv = motion_.nv();
  x_.q = at.x.q, x_.v = at.x.v.head(nv);
  a_ = at.a.head(nv), lambda_ = at.lambda, xi_ = at.xi.head(nv);
  a0_.resize(at.lambda.size());
  if (rows_) rows_->row_offsets(at.t, x_.q, a0_);
  motion_.tangent()->factor({at.t, x_, a_, lambda_, xi_, at.c_v, at.c_q, at.level});
}
void WorkTangent::solve(VecIn r, VecIn s, VecOut da, VecOut dl) {
  const int nv = motion_.nv();
  const double last = r[nv];
  motion_.tangent()->solve(r.head(nv), s, da.head(nv), dl);
  da[nv] = last - a0_.dot(dl);
}
void WorkTangent::metric_times(double t, VecIn q, VecIn w, VecOut out) const {
  const int nv = motion_.nv();
  const double last = w[nv];
  motion_.tangent()->metric_times(t, q, w.head(nv), out.head(nv));
  out[nv] = last;
}

// ---- the constraints

/// The power -lambda a0 of moving constraints.
double ConstrainedWork::row_power(double t, VecIn q, VecIn lambda) const {
  powered_rows_.row_offsets(t, q, a0_);
  return -a0_.dot(lambda);
}

void ConstrainedWork::force(double t, VecIn q, VecIn v, VecOut f) const {
  motion_.force(t, q, v.head(nv_), f.head(nv_));
  f[nv_] = powered_rows_.load_power(t, q, v.head(nv_));
}
void ConstrainedWork::metric_times(double t, VecIn q, VecIn w, VecOut out) const {
  const double last = w[nv_];
  motion_.metric_times(t, q, w.head(nv_), out.head(nv_));
  out[nv_] = last;
}
void ConstrainedWork::mass_times(double t, VecIn q, VecIn v, VecIn w, VecOut out) const {
  const double last = w[nv_];
  motion_.mass_times(t, q, v.head(nv_), w.head(nv_), out.head(nv_));
  out[nv_] = last;
}
void ConstrainedWork::constraint_times(double t, VecIn q, VecIn w, VecOut out) const {
  motion_.constraint_times(t, q, w.head(nv_), out);
}
void ConstrainedWork::reaction(double t, VecIn q, VecIn lambda, VecOut out) const {
  const double last = row_power(t, q, lambda);
  motion_.reaction(t, q, lambda, out.head(nv_));
  out[nv_] = last;
}
void ConstrainedWork::position_residual(double t, VecIn q, VecOut phi) const {
  motion_.position_residual(t, q, phi);
}
void ConstrainedWork::velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const {
  motion_.velocity_residual(t, q, v.head(nv_), psi);
}
void ConstrainedWork::constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const {
  motion_.constraint_bias(t, q, v.head(nv_), gamma);
}
void ConstrainedWork::imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const {
  const double last = a[nv_];
  motion_.imbalance(t, q, v.head(nv_), a.head(nv_), lambda, r.head(nv_));
  r[nv_] = last - powered_rows_.load_power(t, q, v.head(nv_)) - row_power(t, q, lambda);
}
void ConstrainedWork::acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const {
  motion_.acceleration(t, q, v.head(nv_), a.head(nv_), lambda);
  a[nv_] = powered_rows_.load_power(t, q, v.head(nv_)) + row_power(t, q, lambda);
}
void ConstrainedWork::solve(Factors which, double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const {
  const double last = r[nv_];
  motion_.solve(which, t, q, r.head(nv_), s, x.head(nv_), y);
  x[nv_] = last + row_power(t, q, y);
}
void ConstrainedWork::solve_with_mass(Factors which, double t, VecIn q, VecIn v, VecIn r, VecIn s, VecOut x,
                                      VecOut y) const {
  const double last = r[nv_];
  motion_.solve_with_mass(which, t, q, v.head(nv_), r.head(nv_), s, x.head(nv_), y);
  x[nv_] = last + row_power(t, q, y);
}
bool ConstrainedWork::project_position(double t, VecOut q) const { return motion_.project_position(t, q); }
void ConstrainedWork::project_velocity(double t, VecIn q, VecOut v) const {
  motion_.project_velocity(t, q, v.head(nv_));
}

}  // namespace torsor::mechanics
