#pragma once

#include "system/stepper_rows.hpp"
#include "torsor/integrators/treatment.hpp"

namespace torsor::mechanics {

/// Treatment `viscous`: the force -(mu/eps) A^T (A v + a0) replaces the rows without phi.
class ViscousFriction {
 public:
  ViscousFriction(const TreatmentParameters& parameters, const BodyEquations& bodies,
                  const StepperRows& rows);

  /// Sets the multipliers -(mu/eps) (A v + a0) of the replaced rows and adds their wrenches to W.
  void add(Vec& W);
  /// Copies the multipliers of the replaced rows to y, which has all rows.
  void copy_multipliers(Vec& y) const;
  /// Adds the power lambda (A v) of friction with these multipliers, in watts.
  void add_power(double& power) const;
  /// The power that a slip A v + a0 under this multiplier turns into heat, in watts.
  double heat(double multiplier) const { return multiplier * multiplier * eps_ / mu_; }

 private:
  double mu_, eps_;
  const BodyEquations& bodies_;
  const StepperRows& rows_;
  Vec multipliers_;  ///< over all rows
};

}  // namespace torsor::mechanics
