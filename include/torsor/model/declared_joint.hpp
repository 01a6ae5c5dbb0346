#pragma once

#include <array>

#include "torsor/model/joint_kind.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor {

/// Pose X_FM of a joint's frame M in its frame F at the coordinates q (coordinate_count(kind) numbers).
inline SE3<> joint_pose(JointKind kind, double pitch, const double* q) {
  return joint_type(kind).pose(pitch, q);
}

/// Twist of M in F at the origin of M, axes of M, for the rates v (freedom_count(kind) numbers).
Vector<double, 6> joint_twist(JointKind kind, GroupProduct group, double pitch, const double* q,
                              const double* v);

/// The coordinates with the pose X_FM. If the joint cannot take this pose, the result is the nearest that the
/// formulas give; compare joint_pose. Angles are in (-pi, pi]; the displacement of a helical joint counts its
/// turns.
inline void joint_coordinates(JointKind kind, double pitch, const SE3<>& X_FM, double* q) {
  joint_type(kind).coordinates_at(pitch, X_FM, q);
}

/// The rates v with this twist at q. If the joint cannot take this twist, the nearest that the formulas give.
inline void joint_rates(JointKind kind, GroupProduct group, const double* q, const Vector<double, 6>& twist,
                        double* v) {
  joint_type(kind).rates_at(group, q, twist, v);
}

// Convert coordinates and rates of a link's inboard joint between the declared direction (parent to child)
// and the direction of the tree. They are the same numbers unless the joint is reversed. q and v point to
// the numbers of this joint.
void declared_from_tree(const Model& model, int link, const double* q, const double* v, double* q_declared,
                        double* v_declared);
void tree_from_declared(const Model& model, int link, const double* q_declared, const double* v_declared,
                        double* q, double* v);
/// Joint forces conjugate to the declared rates, in terms of the rates inside the tree (transposed map).
void tree_force_from_declared(const Model& model, int link, const double* q, const double* tau_declared,
                              double* tau);

/// Coordinates and rates of any joint of the mechanism, as declared: the first coordinate_count and
/// freedom_count entries.
struct DeclaredMotion {
  std::array<double, 7> q{};
  std::array<double, 6> v{};
};

/// From the coordinates of the tree for an inboard joint; otherwise from the poses and velocities of its
/// bodies, after forward_kinematics. Angles of the latter count turns from one call with this workspace to
/// the next, between which the joint must turn by less than half a turn.
DeclaredMotion declared_motion(const Model& model, int joint, VecIn q, VecIn v,
                               const Workspace<double>& work);

/// Time derivatives of the declared rates of any joint at its declared coordinates, for accelerations a of
/// the tree, after forward_kinematics and body_accelerations.
Vec declared_acceleration(const Model& model, int joint, const Vec& q_declared, VecIn a,
                          const Workspace<double>& work);

/// The place of a joint: the origin and the axes of its frame M, world axes, after forward_kinematics.
struct JointPlace {
  Vec3 p_WM;
  Mat3 R_WM;
};
JointPlace joint_place(const Model& model, int joint, const Workspace<double>& work);

/// The wrench on the declared child at its coordinates q, at the origin of M in world axes, that does the
/// work of the joint forces tau conjugate to the declared rates: sum tau_k w_k with w_k in the span of the
/// joint's motions and w_k . S_l = 1 for k = l, else 0.
Vector<double, 6> joint_force_wrench(const Model& model, int joint, const double* q, const double* tau,
                                     const JointPlace& place);

}  // namespace torsor
