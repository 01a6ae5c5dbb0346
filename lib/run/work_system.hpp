#pragma once

#include <concepts>

#include "torsor/system/mechanism_system.hpp"

namespace torsor::sim {

constexpr double unit_of_work = 0x1p-100;  ///< W for a work of 1 J

/// A system with the work of its non-conservative forces as one more velocity W, W' = P(t, q, v), so that
/// the method integrates the work to the order of the motion. W changes neither the motion nor the size of
/// its error: the unit of W is so large that its numbers are negligible in every norm. The unit is a power
/// of two, so the conversion costs no digits.
template <class Base, class Inner>
class WithWork : public Base {
 public:
  explicit WithWork(const Inner& inner) : inner_(inner), nq_(inner.nq()), nv_(inner.nv()) {}

  int nq() const override { return nq_ + 1; }
  int nv() const override { return nv_ + 1; }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override {
    inner_.retract(q.head(nq_), xi.head(nv_), q_next.head(nq_));
    q_next[nq_] = q[nq_] + xi[nv_];
  }
  void local_difference(VecIn q, VecIn p, VecOut xi) const override {
    inner_.local_difference(q.head(nq_), p.head(nq_), xi.head(nv_));
    xi[nv_] = p[nq_] - q[nq_];
  }
  void dexp(VecIn xi, VecIn w, VecOut out) const override {
    inner_.dexp(xi.head(nv_), w.head(nv_), out.head(nv_));
    out[nv_] = w[nv_];
  }
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override {
    inner_.dexp_inv(xi.head(nv_), w.head(nv_), out.head(nv_));
    out[nv_] = w[nv_];
  }
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override {
    inner_.acceleration_and_power(t, q.head(nq_), v.head(nv_), a.head(nv_), a[nv_]);
    a[nv_] *= unit;
  }
  bool maps_velocity() const override { return inner_.maps_velocity(); }
  void velocity(double t, VecIn q, VecIn v, VecOut out) const override {
    const double last = v[nv_];
    inner_.velocity(t, q.head(nq_), v.head(nv_), out.head(nv_));
    out[nv_] = last;
  }
  double error_norm(const State& x, VecIn xi, VecIn dv) const override {
    motion_.q = x.q.head(nq_);
    motion_.v = x.v.head(nv_);
    return inner_.error_norm(motion_, xi.head(nv_), dv.head(nv_));
  }

  /// The state of the system with W = 0; `split` gives back the state of the tree and the work in J.
  State begin(const State& tree) const {
    State x;
    x.q.setZero(nq_ + 1), x.v.setZero(nv_ + 1);
    x.q.head(nq_) = tree.q, x.v.head(nv_) = tree.v;
    return x;
  }
  void split(const State& x, State& tree, double& work) const {
    tree.q = x.q.head(nq_), tree.v = x.v.head(nv_);
    work = x.v[nv_] / unit;
  }

 protected:
  static constexpr double unit = unit_of_work;

  const Inner& inner_;
  int nq_, nv_;
  mutable State motion_;
};

/// The tangent of a system with its work. W does not act on the motion, so the identity is enough for its own
/// row.
template <class Inner>
class WorkTangent final : public Tangent {
 public:
  explicit WorkTangent(const Inner& inner) : inner_(inner), nq_(inner.nq()), nv_(inner.nv()) {
    if constexpr (constrained) a0_.resize(inner.rows());
  }

  void factor(const Linearisation& at) override {
    motion_.q = at.x.q.head(nq_), motion_.v = at.x.v.head(nv_);
    a_ = at.a.head(nv_), lambda_ = at.lambda, xi_ = at.xi.head(nv_);
    if constexpr (constrained) inner_.row_offsets(at.t, motion_.q, a0_);
    inner_.tangent()->factor({at.t, motion_, a_, lambda_, xi_, at.c_v, at.c_q, at.level});
  }
  void solve(VecIn r, VecIn s, VecOut da, VecOut dl) override {
    const double last = r[nv_];
    inner_.tangent()->solve(r.head(nv_), s, da.head(nv_), dl);
    da[nv_] = last - unit_of_work * a0_.dot(dl);
  }
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override {
    const double last = w[nv_];
    inner_.tangent()->metric_times(t, q.head(nq_), w.head(nv_), out.head(nv_));
    out[nv_] = last;
  }

 private:
  static constexpr bool constrained = std::derived_from<Inner, ConstrainedSystem>;

  const Inner& inner_;
  int nq_, nv_;
  State motion_;
  Vec a0_, a_, lambda_, xi_;
};

/// The same under constraints. Moving constraints supply the power -lambda a0: a row -a0^T of A^T for W. A
/// itself has no column for W.
template <class Inner>
class ConstrainedWork final : public WithWork<ConstrainedSystem, Inner> {
  using Base = WithWork<ConstrainedSystem, Inner>;

 public:
  explicit ConstrainedWork(const Inner& inner);

  void begin_step(double t, VecIn q) const override { inner_.begin_step(t, q.head(nq_)); }
  bool end_step(double t, VecIn q) const override { return inner_.end_step(t, q.head(nq_)); }
  ConstrainedSystem::Diagnosis diagnosis() const override { return inner_.diagnosis(); }
  std::string_view acceleration_rounding(VecOut out) const override {
    out[nv_] = 0;
    return inner_.acceleration_rounding(out.head(nv_));
  }
  Tangent* tangent() const override { return inner_.tangent() ? &tangent_ : nullptr; }
  const std::vector<char>& holonomic() const override { return inner_.holonomic(); }
  void force(double t, VecIn q, VecIn v, VecOut f) const override;
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override;
  void constraint_times(double t, VecIn q, VecIn w, VecOut out) const override;
  void reaction(double t, VecIn q, VecIn lambda, VecOut out) const override;
  void position_residual(double t, VecIn q, VecOut phi) const override;
  void velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const override;
  void constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const override;
  void imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const override;

  using Base::acceleration;
  void acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const override;
  void solve(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const override;
  void solve_nearby(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const override;
  bool project_position(double t, VecOut q) const override;
  void project_velocity(double t, VecIn q, VecOut v) const override;

 private:
  using Base::inner_, Base::nq_, Base::nv_, Base::unit;
  double supplied(double t, VecIn q, VecIn lambda) const;

  mutable Vec a0_;
  mutable WorkTangent<Inner> tangent_;
};

using MechanismWork = ConstrainedWork<MechanismSystem>;

class TreeWork final : public WithWork<System, TreeSystem> {
 public:
  using WithWork::WithWork;
  Tangent* tangent() const override { return &tangent_; }

 private:
  mutable WorkTangent<TreeSystem> tangent_{inner_};
};

template <class Inner>
ConstrainedWork<Inner>::ConstrainedWork(const Inner& inner)
    : Base(inner), a0_(inner.rows()), tangent_(inner) {}

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

}  // namespace torsor::sim
