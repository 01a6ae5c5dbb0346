#pragma once

#include "sample_motion.hpp"
#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/group_system.hpp"

namespace torsor::test {

/// The sample motion on any group under one affine row without phi: a . v = sin(2 t) / 2.
template <LieGroup G>
class RowOnGroup final : public ConstrainedSystem {
 public:
  using Tangent = typename G::Tangent;

  int nq() const override { return G::nq; }
  int nv() const override { return G::dof; }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override { group_.retract(q, xi, q_next); }
  void local_difference(VecIn q, VecIn p, VecOut xi) const override { group_.local_difference(q, p, xi); }
  void dexp(VecIn xi, VecIn w, VecOut out) const override { group_.dexp(xi, w, out); }
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override { group_.dexp_inv(xi, w, out); }

  const std::vector<char>& holonomic() const override { return holonomic_; }
  void force(double t, VecIn q, VecIn v, VecOut f) const override {
    group_.acceleration(t, q, v, f);
    f = sample_.inertia.cwiseProduct(Tangent(f));
  }
  void metric_times(double, VecIn, VecIn w, VecOut out) const override {
    out = sample_.inertia.cwiseProduct(w);
  }
  void constraint_times(double, VecIn, VecIn w, VecOut out) const override { out[0] = a_.dot(w); }
  void reaction(double, VecIn, VecIn lambda, VecOut out) const override { out = lambda[0] * a_; }
  void position_residual(double, VecIn, VecOut phi) const override { phi[0] = 0; }
  void velocity_residual(double t, VecIn, VecIn v, VecOut psi) const override {
    psi[0] = a_.dot(v) - std::sin(2 * t) / 2;
  }
  void constraint_bias(double t, VecIn, VecIn, VecOut gamma) const override { gamma[0] = -std::cos(2 * t); }

  /// The start of the sample motion, with its velocity projected onto the row.
  State start() const {
    const Phase<G> x = SampleMotion<G>::start();
    State state = group_state(x.q, x.v);
    project_velocity(0, state.q, state.v);
    return state;
  }

 private:
  SampleMotion<G> sample_;
  GroupSystem<G, SampleMotion<G>> group_{sample_};
  Tangent a_ = Tangent::NullaryExpr([](Eigen::Index i) { return number<double>(60 + static_cast<int>(i)); });
  std::vector<char> holonomic_{0};
};

}  // namespace torsor::test
