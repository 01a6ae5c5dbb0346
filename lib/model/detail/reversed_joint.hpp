#pragma once

#include "torsor/model/workspace.hpp"

namespace torsor::detail {

/// A joint of this kind with its two frames exchanged: the motion of F in M for the same coordinates and
/// rates. The inboard joint of a link is of this type if Model::moves_inversely is set.
template <class Kind>
struct Reversed {
  template <class Scalar>
  using Vec3 = spatial::Vec3<Scalar>;
  template <class Scalar>
  using Mat3 = spatial::Mat3<Scalar>;
  template <class Scalar>
  using Vec6 = spatial::Vec6<Scalar>;

  /// With (R, p) the pose of M in F, v and w its velocities in axes of M, and r = -R^T p the origin of F in
  /// M:
  ///   r' = r x w - v,   r'' = r x w' - w x r' - v' + w x v,   v' and w' the accelerations in axes of M.
  template <class Scalar>
  static void move(const joints::JointState<Scalar>& at, joints::JointMove<Scalar>& to) {
    const auto unit = Mat3<Scalar>::identity();
    Mat3<Scalar> R = unit;
    Vec3<Scalar> p;
    joints::JointMove<Scalar> M{R, p};
    Kind::move(joints::JointState<Scalar>{at.product, at.pitch, unit, true, at.q, at.v}, M);
    const Vec3<Scalar>&v = M.motion.velocity.lin, &w = M.motion.velocity.ang;
    const Vec3<Scalar>&v_rate = M.motion.drift.lin, &w_rate = M.motion.drift.ang;
    const Vec3<Scalar> r = -transpose_times(R, p), r_rate = cross(r, w) - v;
    to.p += at.R_PF * r;
    to.R = Mat3<Scalar>::from_rows(R * at.R_PF.row_x(), R * at.R_PF.row_y(), R * at.R_PF.row_z());
    to.motion.velocity = {R * r_rate, -(R * w)};
    to.motion.drift = {R * (cross(r, w_rate) - cross(w, r_rate) - v_rate + cross(w, v)), -(R * w_rate)};
  }

  /// p_FM: the vector from the origin of F of the tree to the origin of M of the tree, in the parent's axes.
  /// F of the tree is M of the joint, and M of the tree is F of the joint.
  template <class Scalar, class F>
  static void axes(const joints::JointFrame<Scalar>& at, const Vec3<Scalar>& p_FM, F&& f) {
    const auto unit = Mat3<double>::identity();
    const Mat3<Scalar> R_PF(at.R_PF);
    const auto R = Mat3<Scalar>::from_rows(transpose_times(R_PF, at.R_PM.col_x()),
                                           transpose_times(R_PF, at.R_PM.col_y()),
                                           transpose_times(R_PF, at.R_PM.col_z()));
    const Vec3<Scalar> r = transpose_times(R_PF, p_FM);
    const auto reversed = [&](const Vec6<Scalar>& s) -> Vec6<Scalar> {
      return {R * (cross(r, s.ang) - s.lin), -(R * s.ang)};
    };
    Kind::axes(joints::JointFrame<Scalar>{at.product, at.pitch, unit, R},
               [&](const auto&... s) { f(reversed(joints::column<Scalar>(s))...); });
  }
};

/// Calls f(Reversed<Kind>()) for a link that is moved inversely.
template <class F>
void with_reversed(JointKind kind, F&& f) {
  with_joint(kind, [&]<class Kind>(Kind) {
    if constexpr (!requires { Kind::seen_from_child; }) f(Reversed<Kind>());
  });
}

}  // namespace torsor::detail
