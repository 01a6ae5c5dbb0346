#pragma once

#include "torsor/system/mechanism_system.hpp"

namespace torsor {

/// A mechanism in which strong viscous friction mu/eps replaces the rows without phi, on the slow manifold of
/// that friction: the motion after the transient of the slip s = A v + a0. Holonomic rows stay exact.
///
/// With C = G^-1 A^T M_c, M_c = (A G^-1 A^T)^-1 and P = I - C A over all rows, the velocity on the manifold
/// is
///
///   w = u + C sigma,   u = v - C (A v + a0),   sigma = eps sigma_1 + eps^2 sigma_2 + ...,
///   mu sigma_1 = -Lambda(q, u),
///   mu sigma_2 = -dLambda/dv C sigma_1 + 1/mu M_c dLambda/dt,
///
/// where Lambda(q, v) = -M_c [gamma + A G^-1 (f - b)] are the multipliers of the ideal rows, and d/dt is
/// taken along the motion under the ideal rows. On the manifold P w' = P G^-1 (f - b)(q, w), because
/// P G^-1 removes the friction. For any v with the same u,
///
///   q' = q w,   v' = G^-1 (f - b + A^T Lambda)(q, w) - P C' (sigma - s),   C' along w.
///
/// The last term accounts for the slip s of v, which may differ from sigma within a step. These equations are
/// not stiff: steps do not shrink with eps. Rows may depend on time and velocities may be prescribed.
/// Accelerations returned together with multipliers are those of the motion itself, w', with the multipliers
/// that give it:
///
///   w' = G^-1 (f - b + A^T lambda)(q, w),   A w' + gamma = d sigma/dt.
///
/// Errors are of order eps^(order + 1), also those of w' and lambda. Derivatives are central differences of
/// order 4, with a relative error of about 1e-12 in terms of order eps. Order 0 is the motion under the ideal
/// rows.
///
/// Gzenda, Chhabra, Affine connection approach to the realization of nonholonomic constraints by strong
/// friction forces, arXiv 2408.00095. Rows without phi must not be redundant; a redundant one throws
/// EvaluationError (singular). Only methods that project (index-1) can integrate this system. The model must
/// live longer than the system. One object serves one thread.
class ReducedSystem final : public MechanismSystem, VelocityMap, PoweredRows {
 public:
  /// `order`: 0, 1 or 2, the highest power of eps.
  ReducedSystem(const Model& model, const LinkLengths& lengths, const TreatmentParameters& friction,
                int order);
  ~ReducedSystem() override;

  const VelocityMap* velocity_map() const override;
  const PoweredRows* power() const override;
  StepChoices& choices() const override;
  std::optional<Treatment> treatment() const override { return Treatment::viscous; }
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  void acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const override;

  /// w for the u of v.
  void velocity(double t, VecIn q, VecIn v, VecOut out) const override;
  bool keeps_acceleration() const override { return false; }  // the acceleration depends on the slip of v

  /// sigma_1 and sigma_2 at the u of v, over the rows; 0 for holonomic rows.
  void slips(double t, VecIn q, VecIn v, VecOut sigma_1, VecOut sigma_2) const;

 private:
  bool conserves_energy() const override;
  void acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const override;
  double load_power(double t, VecIn q, VecIn v) const override;
  void row_offsets(double t, VecIn q, VecOut a0) const override;

  struct Slow;

  Slow& look_at(double t, VecIn q, VecIn v) const;

  int order_;
  double eps_;
  std::unique_ptr<Slow> slow_;
};

}  // namespace torsor
