#pragma once

#include <utility>

#include "torsor/integrators/system.hpp"
#include "torsor/lie/lie_group.hpp"

namespace torsor {

/// A mechanism whose configurations form a group known at compile time, as a run-time System:
/// q' = q v, v' = acceleration(t, q, v) for any callable that takes (double, G, G::Tangent).
template <LieGroup G, class Acceleration>
class GroupSystem : public System {
 public:
  using Tangent = typename G::Tangent;

  explicit GroupSystem(Acceleration acceleration) : acceleration_(std::move(acceleration)) {}

  int nq() const override { return G::nq; }
  int nv() const override { return G::dof; }

  void retract(VecIn q, VecIn xi, VecOut q_next) const override {
    (at(q) * G::exp(Tangent(xi))).normalized().to(q_next.data());
  }
  void local_difference(VecIn q, VecIn p, VecOut xi) const override { xi = difference(at(q), at(p)); }
  void dexp(VecIn xi, VecIn w, VecOut out) const override { out = G::dexp(Tangent(xi), Tangent(w)); }
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override { out = G::dexp_inv(Tangent(xi), Tangent(w)); }
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override {
    a = acceleration_(t, at(q), Tangent(v));
  }
  void chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const override {
    const Tangent xi_now = xi, v_now = v;
    xi_rate = G::dexp_inv(xi_now, v_now);
    a = acceleration_(t, at(q) * G::exp(xi_now), v_now);
  }

 private:
  static G at(VecIn q) { return G::from(q.data()); }

  Acceleration acceleration_;
};

template <class G, class Acceleration>
GroupSystem<G, Acceleration> group_system(Acceleration acceleration) {
  return GroupSystem<G, Acceleration>(std::move(acceleration));
}

/// The State at (q, v).
template <LieGroup G>
State group_state(const G& q, const typename G::Tangent& v) {
  State x{Vec(G::nq), v, {}};
  q.to(x.q.data());
  return x;
}

}  // namespace torsor
