#pragma once

#include <memory>
#include <vector>

#include "absolute_tangent.hpp"
#include "gmres.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor::mechanics {

/// The tangent J of a mechanism in tree form, at linear cost.
///
/// In a tree the motion of a body depends on all joints between it and the ground, so J is full. But J
/// times a vector is a difference of evaluations. And the same mechanism in absolute form has a tangent P
/// in blocks, with the same forces (stiff ones too) and the same curvature of constraints, tree joints
/// among them. J and P differ because the time discretisation acts on the velocities of joints in J and on
/// those of bodies in P. The difference is of the order of the rotation in a step, so P^-1 J is near the
/// identity, and GMRES needs few iterations.
class TreeTangent final : public Tangent {
 public:
  /// Keeps a reference to the system, which must be in tree form and live longer.
  TreeTangent(const MechanismSystem& tree, Treatment treatment, const TreatmentParameters& parameters);

  void factor(const Linearisation& at) override;
  void solve(VecIn r, VecIn s, VecOut da, VecOut dl) override;
  void metric_times(double t, VecIn q, VecIn w, VecOut out) const override {
    tree_.metric_times(t, q, w, out);
  }

 private:
  void reorder(const Vec& from, Vec& to, bool from_tree) const;
  void place_bodies();
  void to_body_forces(const Vec& r, Vec& out);
  void times(const Vec& z, Vec& out);
  void divide(const Vec& r, const Vec& s, Vec& z);

  const MechanismSystem& tree_;
  Model model_;  ///< in absolute form, as are all members named `bodies`
  MechanismSystem bodies_;
  AbsoluteTangent bodies_tangent_;
  std::vector<int> tree_link_, row_;  ///< tree link of each absolute link, absolute row of each tree row
  Workspace<double> tree_work_, work_;

  // The point at which the tangent is taken.
  double t_ = 0, c_v_ = 0, c_q_ = 0;
  Level level_ = Level::velocity;
  State x_tree_, x_;
  Vec a_tree_, lambda_tree_, xi_tree_, a_, lambda_, xi_, r_tree_;

  Gmres gmres_;
  double a_size_ = 1, lambda_size_ = 1;  ///< scales that make accelerations and multipliers comparable
  Vec b_, z_, r_, s_, da_, dl_, w_, v_, q_, r_there_, psi_, rate_, V_tree_, V_, r_bodies_, s_bodies_,
      da_bodies_, dl_bodies_;
};

/// The tangent of a mechanism in either form. Keeps a reference to the system.
std::unique_ptr<Tangent> make_tangent(const MechanismSystem& system, Treatment treatment,
                                      const TreatmentParameters& parameters);

}  // namespace torsor::mechanics
