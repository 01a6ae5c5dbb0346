#pragma once

#include "system/body_equations.hpp"
#include "torsor/integrators/treatment.hpp"
#include "torsor/system/reactions.hpp"

namespace torsor::mechanics {

/// Treatment `dynamic`: A v' = -gamma - D (A v + a0) - K phi, with constraint inertia, damping and stiffness.
/// The header of MechanismSystem has the formulas. Derivatives in q and v are central differences, so this
/// treatment is for small systems.
class ConstraintDynamics {
 public:
  ConstraintDynamics(const TreatmentParameters& parameters, BodyEquations& bodies)
      : parameters_(parameters), bodies_(bodies), wrenches_(6 * bodies.model().size()) {}

  /// Over the m rows at (t, q, v). Rows that are left out of the equations must be the redundant rows.
  std::vector<RowMotion> motions(const MechanismSystem& system, double t, const Vec& q, const Vec& v);

  /// D (A v + a0) + K phi at (t, q, v), over the m rows; 0 in redundant rows.
  Vec terms(const MechanismSystem& system, double t, VecIn q, VecIn v);

 private:
  void applied_force(double t, const Vec& q, const Vec& v, Vec& f);

  const TreatmentParameters parameters_;
  BodyEquations& bodies_;
  Vec wrenches_;
};

}  // namespace torsor::mechanics
