#pragma once

#include <utility>

#include "torsor/integrators/euler_poincare.hpp"
#include "torsor/integrators/group_system.hpp"

namespace torsor::test {

/// The equation G v' = ad_v^T G v + f(t, q) with a diagonal metric. Symplectic methods require this form.
template <LieGroup G, class Force>
struct Equation {
  using Tangent = typename G::Tangent;
  Tangent inertia;
  Force force;
  Tangent operator()(double t, const G& q, const Tangent& v) const {
    return (G::ad_transpose(v, inertia.cwiseProduct(v)) + force(t, q)).cwiseQuotient(inertia);
  }
};

template <LieGroup G, class Force>
class InvariantSystem final : public GroupSystem<G, Equation<G, Force>>, public EulerPoincare {
 public:
  using Tangent = typename G::Tangent;

  InvariantSystem(const Tangent& inertia, Force force)
      : GroupSystem<G, Equation<G, Force>>({inertia, force}), inertia_(inertia), force_(std::move(force)) {}

  const EulerPoincare* euler_poincare() const override { return this; }
  void momentum(VecIn v, VecOut p) const override { p = inertia_.cwiseProduct(v); }
  void momentum_inverse(VecIn p, VecOut v) const override { v = p.cwiseQuotient(inertia_); }
  void position_force(double t, VecIn q, VecOut f) const override { f = force_(t, G::from(q.data())); }
  void ad_transpose(VecIn v, VecIn p, VecOut out) const override {
    out = G::ad_transpose(Tangent(v), Tangent(p));
  }
  void dexp_inv_transpose(VecIn xi, VecIn p, VecOut out) const override {
    out = G::dexp_inv_transpose(Tangent(xi), Tangent(p));
  }

 private:
  Tangent inertia_;
  Force force_;
};

template <LieGroup G, class Force>
InvariantSystem<G, Force> invariant_system(const typename G::Tangent& inertia, Force force) {
  return {inertia, std::move(force)};
}

}  // namespace torsor::test
