#pragma once

#include <memory>

#include "torsor/integrators/system.hpp"
#include "torsor/model/forces.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor {

class MechanismSystem;

/// Size of a mechanism at q, m: the greatest distance of a mass centre from the point where its branch of the
/// tree meets the ground (the world origin for a free body), and at least the greatest radius of gyration.
/// 1 m where both are zero, as for particles at the origin.
double mechanism_length(const Model& model, VecIn q);

/// A model in tree formulation as a System: q and v of the joints, accelerations by the articulated-body
/// recursion. Refers to the model, which must live longer. Keeps scratch, so one object serves one thread.
class TreeSystem final : public System, public Powered {
 public:
  /// `length`: L of the error norm, m.
  TreeSystem(const Model& model, double length);
  ~TreeSystem() override;

  int nq() const override { return model_.nq(); }
  int nv() const override { return model_.nv(); }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override;
  void local_difference(VecIn q, VecIn p, VecOut xi) const override;
  void dexp(VecIn xi, VecIn w, VecOut out) const override;
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override;
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  void chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const override;

  /// The greatest, over all bodies, of |dx| / L, the angle of dR, |dv| / (L + |v|) and |dOmega| / (1 +
  /// |Omega|). The joint error xi moves a body at q by dx and dR; the rate error dv changes its velocities
  /// by dv and dOmega at fixed q. One pass over the links.
  double error_norm(const State& x, VecIn xi, VecIn dv) const override;

  const Powered* power() const override { return this; }
  const OwnStates* own_states() const override;
  const Switching* switching() const override;
  const CountedAngles* counted_angles() const override;
  const EulerPoincare* euler_poincare() const override;
  /// The tangent of the equations of `mechanism()`, which has none of its own because it has no rows.
  Tangent* tangent() const override;
  /// The same model as a mechanism without constraint rows.
  const MechanismSystem& mechanism() const;

  bool conserves_energy() const override { return forces_.conserve_energy(); }
  /// The power of Forces::power.
  void acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const override;

  const Model& model() const { return model_; }
  const Forces& forces() const { return forces_; }
  /// From now on, another system of the same mechanism has the same own states, sides of the switching
  /// functions and full turns. It must live as long as this object.
  void lead(const TreeSystem& other) const;
  /// From now on, `other` has the same full turns as workspace().
  void share_turns(const Workspace<double>& other) const;
  /// Scratch that callers may use between two calls of this object. It is shared because a model of 10^5
  /// bodies needs 100 MB of it.
  Workspace<double>& workspace() const;
  Loads<double>& loads() const;

 private:
  struct Scratch;

  const Model& model_;
  Forces forces_;
  double length_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace torsor
