#pragma once

#include <memory>
#include <string>

#include "torsor/integrators/euler_poincare.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor {

/// The autoparallels of the generalized Christoffel connection of a system's left-invariant metric G: the
/// motion of the system without its forces,
///
///   q' = q v,   G v' = ad_v^T G v.
///
/// ad is computed from the operations of System by the identity ad_v = dexp_inv(v) - dexp_inv(-v).
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (42)-(46), (122)-(124).
class GeodesicSystem final : public System {
 public:
  /// The system must have the form of Euler and Poincare and outlive its use here.
  void bind(const System& system) { system_ = &system, equations_ = system.euler_poincare(); }

  int nq() const override { return system_->nq(); }
  int nv() const override { return system_->nv(); }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override { system_->retract(q, xi, q_next); }
  void local_difference(VecIn q, VecIn p, VecOut xi) const override { system_->local_difference(q, p, xi); }
  void dexp(VecIn xi, VecIn w, VecOut out) const override { system_->dexp(xi, w, out); }
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override { system_->dexp_inv(xi, w, out); }
  double error_norm(const State& x, VecIn xi, VecIn dv) const override {
    return system_->error_norm(x, xi, dv);
  }
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  void chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const override;

 private:
  const System* system_ = nullptr;
  const EulerPoincare* equations_ = nullptr;
  mutable Vec p_, xi_, forth_, back_;
};

/// Follows geodesics to rounding, with as many steps of DOP853 in the exponential chart as needed.
class GeodesicFlow {
 public:
  GeodesicFlow();

  /// Advances x.q and x.v by the time h, which may be negative. On any status but `accepted`, x is unchanged
  /// and `message()` says why.
  StepStatus follow(const System& system, State& x, double h);
  std::string message() const { return message_; }

 private:
  double relative_error(const State& x, double h);

  GeodesicSystem geodesics_;
  std::unique_ptr<Stepper> stepper_;
  State now_, trial_;
  Vec error_, xi_, none_;
  std::string message_;
};

}  // namespace torsor
