#pragma once

#include "torsor/integrators/system.hpp"

namespace torsor {

/// A system on the group of another system, with the error norm of that system. `Base` is System or a class
/// derived from System.
template <class Base>
class SharedSpace : public Base {
 public:
  int nq() const override { return space_->nq(); }
  int nv() const override { return space_->nv(); }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override { space_->retract(q, xi, q_next); }
  void local_difference(VecIn q, VecIn p, VecOut xi) const override { space_->local_difference(q, p, xi); }
  void dexp(VecIn xi, VecIn w, VecOut out) const override { space_->dexp(xi, w, out); }
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override { space_->dexp_inv(xi, w, out); }
  double error_norm(const State& x, VecIn xi, VecIn dv) const override {
    return space_->error_norm(x, xi, dv);
  }

 protected:
  /// The other system must exist as long as this one uses it.
  void share(const System& other) { space_ = &other; }

 private:
  const System* space_ = nullptr;
};

}  // namespace torsor
