#pragma once

#include <memory>
#include <string>

#include "torsor/integrators/detail/shared_space.hpp"
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
class GeodesicSystem final : public SharedSpace<System> {
 public:
  /// The system must have the form of Euler and Poincare and outlive its use here.
  void bind(const System& system) {
    share(system);
    equations_ = &euler_poincare_of(system);
  }

  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  void chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const override;

 private:
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
