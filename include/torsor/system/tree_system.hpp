#pragma once

#include <memory>
#include <vector>

#include "torsor/integrators/system.hpp"
#include "torsor/model/forces.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor {

class MechanismSystem;

/// How the error norm measures the mass centre of each link. A body such as a satellite or a train can move
/// far away, and the motion of other bodies relative to it must not lose digits there. The bodies of a branch
/// have the first body of the branch as their reference if the joint that attaches it to the ground can
/// translate. All branches that begin with a free body or a particle share one reference, the first of these.
/// The other bodies have no reference.
///
/// The length of a link, m, is the greatest of these distances of mass centres at q:
///   - without a reference: from the point where the branch of the spanning tree meets the ground, over all
///     links without a reference;
///   - of a reference: from that point (the world origin for free bodies), over all links that refer to it;
///   - with another link as reference: from the reference, over all links that refer to it;
/// and at least the greatest radius of gyration of the same links. A length that would be 0 is the length of
/// the reference, or 1 m.
class LinkLengths {
 public:
  LinkLengths(const Model& model, VecIn q);
  /// The same length for all links, m, and no references. Implicit, so that a number serves as lengths.
  LinkLengths(double length) : greatest_(length) {}

  double operator[](int link) const { return of_.empty() ? greatest_ : of_[static_cast<std::size_t>(link)]; }
  /// The reference of a link (which can be the link itself), or `world`.
  int reference(int link) const {
    return reference_.empty() ? world : reference_[static_cast<std::size_t>(link)];
  }
  /// The greatest length, m: the size of the mechanism.
  double greatest() const { return greatest_; }

 private:
  std::vector<int> reference_;  ///< over links, as `of_`
  std::vector<double> of_;
  double greatest_;
};

/// A model in tree formulation as a System: q and v of the joints, accelerations by the articulated-body
/// recursion. Refers to the model, which must live longer. Keeps scratch, so one object serves one thread.
class TreeSystem final : public System, public Powered {
 public:
  TreeSystem(const Model& model, const LinkLengths& lengths);
  ~TreeSystem() override;

  int nq() const override { return model_.nq(); }
  int nv() const override { return model_.nv(); }
  void retract(VecIn q, VecIn xi, VecOut q_next) const override;
  void local_difference(VecIn q, VecIn p, VecOut xi) const override;
  void dexp(VecIn xi, VecIn w, VecOut out) const override;
  void dexp_inv(VecIn xi, VecIn w, VecOut out) const override;
  void acceleration(double t, VecIn q, VecIn v, VecOut a) const override;
  void chart_rate(double t, VecIn q, VecIn xi, VecIn v, VecOut xi_rate, VecOut a) const override;

  /// The greatest, over all bodies, of |dx| / L, the angle of dR, |dv| / (L/(1 s) + |v|) and
  /// |dOmega| / (1 rad/s + |Omega|), with L = lengths()[link]. The joint error xi moves a body at q by dx and
  /// dR; the rate error dv changes its velocities by dv and dOmega at fixed q. If another link is the
  /// reference, dx, v and dv are those of the mass centre minus those of the reference's mass centre. One
  /// pass over the links.
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
  const LinkLengths& lengths() const { return lengths_; }
  /// From now on, `other`, a system of the same mechanism, has the same own states, sides of the switching
  /// functions and full turns. `other` must live as long as this object.
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
  LinkLengths lengths_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace torsor
