#pragma once

#include "torsor/sim/tree_system.hpp"

namespace torsor::sim {

/// A tree and the work of its non-conservative forces: one more velocity W with W' = P(t, q, v), so that the
/// method integrates the work to the order of the motion. W changes neither the motion nor the size of its
/// error: it is kept in a unit so great that no test of size sees it, a power of two, which costs no digit.
class WorkSystem final : public System {
 public:
  explicit WorkSystem(const TreeSystem& tree) : tree_(tree), nq_(tree.nq()), nv_(tree.nv()) {}

  int nq() const override { return nq_ + 1; }
  int nv() const override { return nv_ + 1; }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override {
    tree_.retract(q.head(nq_), xi.head(nv_), q_next.head(nq_));
    q_next[nq_] = q[nq_] + xi[nv_];
  }
  void local_difference(VecIn q, VecIn p, VecOut xi) const override {
    tree_.local_difference(q.head(nq_), p.head(nq_), xi.head(nv_));
    xi[nv_] = p[nq_] - q[nq_];
  }
  void dexp(VecIn xi, VecIn w, VecOut out) const override {
    tree_.dexp(xi.head(nv_), w.head(nv_), out.head(nv_));
    out[nv_] = w[nv_];
  }
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override {
    tree_.dexp_inv(xi.head(nv_), w.head(nv_), out.head(nv_));
    out[nv_] = w[nv_];
  }
  void dexp_inv_transpose(VecIn xi, VecIn p, VecOut out) const override {
    tree_.dexp_inv_transpose(xi.head(nv_), p.head(nv_), out.head(nv_));
    out[nv_] = p[nv_];
  }
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override {
    tree_.acceleration_and_power(t, q.head(nq_), v.head(nv_), a.head(nv_), a[nv_]);
    a[nv_] *= unit;
  }
  double error_norm(const State& x, VecIn xi, VecIn dv) const override {
    motion_.q = x.q.head(nq_);
    motion_.v = x.v.head(nv_);
    return tree_.error_norm(motion_, xi.head(nv_), dv.head(nv_));
  }

  /// The state of the tree with no work done yet, and back.
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

 private:
  static constexpr double unit = 0x1p-100;

  const TreeSystem& tree_;
  int nq_, nv_;
  mutable State motion_;
};

}  // namespace torsor::sim
