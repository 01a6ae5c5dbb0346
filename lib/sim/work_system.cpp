#include "work_system.hpp"

#include "torsor/sim/chart.hpp"

namespace torsor::sim {

template <class Inner>
ConstrainedWork<Inner>::ConstrainedWork(const Inner& inner) : Base(inner), a0_(inner.rows()) {}

/// The power -lambda a0 of moving constraints, in the unit of W.
template <class Inner>
double ConstrainedWork<Inner>::supplied(double t, VecIn q, VecIn lambda) const {
  inner_.row_offsets(t, q.head(nq_), a0_);
  return -unit * a0_.dot(lambda);
}

template <class Inner>
void ConstrainedWork<Inner>::force(double t, VecIn q, VecIn v, VecOut f) const {
  inner_.force(t, q.head(nq_), v.head(nv_), f.head(nv_));
  f[nv_] = unit * inner_.load_power(t, q.head(nq_), v.head(nv_));
}
template <class Inner>
void ConstrainedWork<Inner>::metric_times(double t, VecIn q, VecIn w, VecOut out) const {
  const double last = w[nv_];
  inner_.metric_times(t, q.head(nq_), w.head(nv_), out.head(nv_));
  out[nv_] = last;
}
template <class Inner>
void ConstrainedWork<Inner>::constraint_times(double t, VecIn q, VecIn w, VecOut out) const {
  inner_.constraint_times(t, q.head(nq_), w.head(nv_), out);
}
template <class Inner>
void ConstrainedWork<Inner>::reaction(double t, VecIn q, VecIn lambda, VecOut out) const {
  const double last = supplied(t, q, lambda);
  inner_.reaction(t, q.head(nq_), lambda, out.head(nv_));
  out[nv_] = last;
}
template <class Inner>
void ConstrainedWork<Inner>::position_residual(double t, VecIn q, VecOut phi) const {
  inner_.position_residual(t, q.head(nq_), phi);
}
template <class Inner>
void ConstrainedWork<Inner>::velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const {
  inner_.velocity_residual(t, q.head(nq_), v.head(nv_), psi);
}
template <class Inner>
void ConstrainedWork<Inner>::constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const {
  inner_.constraint_bias(t, q.head(nq_), v.head(nv_), gamma);
}

template <class Inner>
void ConstrainedWork<Inner>::imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const {
  const double last = a[nv_];
  inner_.imbalance(t, q.head(nq_), v.head(nv_), a.head(nv_), lambda, r.head(nv_));
  r[nv_] = last - unit * inner_.load_power(t, q.head(nq_), v.head(nv_)) - supplied(t, q, lambda);
}

template <class Inner>
void ConstrainedWork<Inner>::acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const {
  inner_.acceleration(t, q.head(nq_), v.head(nv_), a.head(nv_), lambda);
  a[nv_] = unit * inner_.load_power(t, q.head(nq_), v.head(nv_)) + supplied(t, q, lambda);
}
template <class Inner>
void ConstrainedWork<Inner>::solve(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const {
  const double last = r[nv_];
  inner_.solve(t, q.head(nq_), r.head(nv_), s, x.head(nv_), y);
  x[nv_] = last + supplied(t, q, y);
}
template <class Inner>
void ConstrainedWork<Inner>::solve_nearby(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const {
  const double last = r[nv_];
  inner_.solve_nearby(t, q.head(nq_), r.head(nv_), s, x.head(nv_), y);
  x[nv_] = last + supplied(t, q, y);
}
template <class Inner>
bool ConstrainedWork<Inner>::project_position(double t, VecOut q) const {
  return inner_.project_position(t, q.head(nq_));
}
template <class Inner>
void ConstrainedWork<Inner>::project_velocity(double t, VecIn q, VecOut v) const {
  inner_.project_velocity(t, q.head(nq_), v.head(nv_));
}

/// W does not act on the motion, so the identity is enough for its own row.
template <class Inner>
void ConstrainedWork<Inner>::factor_newton(const Linearisation& at) const {
  motion_.q = at.x.q.head(nq_), motion_.v = at.x.v.head(nv_);
  a_ = at.a.head(nv_), lambda_ = at.lambda, xi_ = at.xi.head(nv_);
  inner_.row_offsets(at.t, motion_.q, a0_);
  inner_.factor_newton({at.t, motion_, a_, lambda_, xi_, at.c_v, at.c_q, at.level});
}
template <class Inner>
void ConstrainedWork<Inner>::solve_newton(VecIn r, VecIn s, VecOut da, VecOut dl) const {
  const double last = r[nv_];
  inner_.solve_newton(r.head(nv_), s, da.head(nv_), dl);
  da[nv_] = last - unit * a0_.dot(dl);
}

template class ConstrainedWork<MechanismSystem>;
template class ConstrainedWork<Chart>;

}  // namespace torsor::sim
