#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "torsor/lie/types.hpp"
#include "torsor/model/detail/spatial.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// Flat vectors over a Scalar and the argument types of the recursions; Scalar is deduced from the workspace.
template <class Scalar>
using VecOf = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using InOf = const Eigen::Ref<const VecOf<std::type_identity_t<Scalar>>>&;
template <class Scalar>
using OutOf = Eigen::Ref<VecOf<std::type_identity_t<Scalar>>>;
template <class Scalar, int Rows>
using MatOutOf = Eigen::Ref<Matrix<std::type_identity_t<Scalar>, Rows, Eigen::Dynamic>>;

/// The loads on the links. `force` and `torque` act on each link at its mass centre, world axes; `tau`
/// holds the joint forces conjugate to the velocities of the tree. The recursions read wrenches and joint
/// forces only if their flags are set.
template <class Scalar>
struct Loads {
  explicit Loads(const Model& model)
      : force(model.size(), Vector<Scalar, 3>::Zero()),
        torque(model.size(), Vector<Scalar, 3>::Zero()),
        tau(VecOf<Scalar>::Zero(model.nv())) {}

  Vector<Scalar, 3> gravity = Vector<Scalar, 3>::Zero();  ///< uniform, world axes, m/s^2
  std::vector<Vector<Scalar, 3>> force, torque;           ///< over links
  VecOf<Scalar> tau;
  bool has_wrenches = false, has_tau = false;

  /// Adds wrenches over links.
  void add(const std::vector<Wrench>& wrenches) {
    for (std::size_t i = 0; i < wrenches.size(); ++i) {
      if (!has_wrenches) force[i].setZero(), torque[i].setZero();
      force[i] += wrenches[i].force, torque[i] += wrenches[i].torque;
    }
    has_wrenches = true;
  }
};

/// Scratch memory for the recursions over one model: one object per thread. The next evaluation overwrites
/// everything except `last_angle`.
template <class Scalar>
class Workspace {
 public:
  explicit Workspace(const Model& model);

  // Over links, filled by forward_kinematics; world axes. B is the body frame at the mass centre.
  std::vector<Matrix<Scalar, 3>> R_WB;
  std::vector<Vector<Scalar, 3>> p_WB;  ///< mass centre
  std::vector<Vector<Scalar, 3>> v_WB;  ///< its velocity
  std::vector<Vector<Scalar, 3>> w_WB;  ///< angular velocity

  // Over links, filled by body_accelerations.
  std::vector<Vector<Scalar, 3>> vdot_WB, wdot_WB;

  // Over links, filled by inverse_dynamics: the wrench that the inboard joint transmits to the link, at the
  // origin of the link's joint frame M, in axes of M.
  std::vector<spatial::Vec6<Scalar>> joint_wrench;

  // Scratch of joint_forces.
  mutable std::vector<spatial::Vec6<Scalar>> joint_sum;

  /// Over joints of the mechanism, for joints outside the tree: the angles at the last accepted state, with
  /// full turns; before the start Joint::angles_near. declared_motion counts turns from them.
  mutable std::vector<std::array<double, 2>> last_angle;

  // Scratch of the recursions, over links.
  std::vector<spatial::LocalMotion<Scalar>> local;
  /// Velocity-dependent part of the acceleration of M relative to the parent; not stored for spherical
  /// joints.
  std::vector<spatial::Vec6<Scalar>> drift;
  /// Acceleration of the origin of M minus gravity, and angular acceleration; axes of M.
  std::vector<spatial::Vec6<Scalar>> accel;
  /// Numbers that the backward pass of the articulated-body recursion stores for the forward pass.
  std::vector<Scalar> factor;
  /// Sums over the side branches of a link; zero between evaluations.
  std::vector<spatial::ArticulatedInertia<Scalar>> branch;
  std::vector<spatial::Mat3<Scalar>> R_WM;
  std::vector<spatial::Vec3<Scalar>> p_WM;
};

template <class Scalar>
Workspace<Scalar>::Workspace(const Model& model)
    : R_WB(model.size()),
      p_WB(model.size()),
      v_WB(model.size()),
      w_WB(model.size()),
      vdot_WB(model.size()),
      wdot_WB(model.size()),
      joint_wrench(model.size()),
      joint_sum(model.size()),
      last_angle(model.link_of_joint.size()),
      local(model.size()),
      drift(model.size()),
      accel(model.size()),
      factor(model.factor_size),
      branch(model.size()),
      R_WM(model.size()),
      p_WM(model.size()) {
  for (std::size_t j = 0; j < last_angle.size(); ++j) last_angle[j] = model.mechanism().joints[j].angles_near;
}

}  // namespace torsor
