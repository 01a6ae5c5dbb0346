#pragma once

#include <array>
#include <vector>

#include "torsor/model/joint_kind.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor {

/// The group in which a joint's rates are declared: that of its child, or of its parent if the child is the
/// ground.
inline GroupProduct declared_group(const Mechanism& mechanism, const Joint& joint) {
  return mechanism.bodies[joint.child == world ? joint.parent : joint.child].group;
}

/// Pose X_FM of a joint's frame M in its frame F at the coordinates q (coordinate_count(kind) numbers).
inline SE3<> joint_pose(JointKind kind, double pitch, const double* q) {
  return joint_type(kind).pose(pitch, q);
}

/// Twist of M in F at the origin of M, axes of M, for the rates v (freedom_count(kind) numbers).
Vector<double, 6> joint_twist(JointKind kind, GroupProduct group, double pitch, const double* q,
                              const double* v);

/// The coordinates for the pose X_FM. If the joint cannot take this pose, the formulas give coordinates of a
/// nearby pose; compare joint_pose with X_FM. Angles are in (-pi, pi]. A helical joint gets its number of
/// turns from its displacement.
inline void joint_coordinates(JointKind kind, double pitch, const SE3<>& X_FM, double* q) {
  joint_type(kind).coordinates_at(pitch, X_FM, q);
}

/// The rates v for this twist at q. If the joint cannot take this twist, the formulas give rates of a nearby
/// twist.
inline void joint_rates(JointKind kind, GroupProduct group, const double* q, const Vector<double, 6>& twist,
                        double* v) {
  joint_type(kind).rates_at(group, q, twist, v);
}

/// joint_pose, joint_twist and joint_coordinates of a link's inboard joint in the direction of the tree, at
/// its coordinates in the tree.
SE3<> inboard_pose(const Model& model, int link, const double* q);
Vector<double, 6> inboard_twist(const Model& model, int link, const double* q, const double* v);
void inboard_coordinates(const Model& model, int link, const SE3<>& X_FM, double* q);

/// Whether the coordinates of a link's inboard joint in the tree are the declared ones.
inline bool has_declared_coordinates(const Model& model, int link) {
  return !model.reversed[link] || model.moves_inversely[link];
}

// Convert coordinates and rates of a link's inboard joint between the declared direction (parent to child)
// and the direction of the tree. q and v point to the numbers of this joint.
void declared_from_tree(const Model& model, int link, const double* q, const double* v, double* q_declared,
                        double* v_declared);
void tree_from_declared(const Model& model, int link, const double* q_declared, const double* v_declared,
                        double* q, double* v);
/// Converts joint forces conjugate to the declared rates into joint forces conjugate to the rates of the
/// tree, by the transpose of the map of the rates. q: coordinates of the tree.
void tree_force_from_declared(const Model& model, int link, const double* q, const double* tau_declared,
                              double* tau);

/// Coordinates and rates of any joint of the mechanism, as declared: the first coordinate_count and
/// freedom_count entries.
struct DeclaredMotion {
  std::array<double, 7> q{};
  std::array<double, 6> v{};
};

/// The motion of an inboard joint comes from the coordinates of the tree. The motion of any other joint comes
/// from the poses and velocities of its bodies, after forward_kinematics; its angles are those within half a
/// turn of Workspace::last_angle.
DeclaredMotion declared_motion(const Model& model, int joint, VecIn q, VecIn v,
                               const Workspace<double>& work);

/// The coordinates of a joint that are angles without full turns if computed from a pose. A helical joint has
/// none, because its displacement gives the turns, unless its pitch is 0.
std::vector<int> counted_coordinates(const Joint& joint);
bool counts_turns(const Joint& joint, int coordinate);

/// Time derivatives of the declared rates of any joint at its declared coordinates, for accelerations a of
/// the tree, after forward_kinematics and body_accelerations.
Vec declared_acceleration(const Model& model, int joint, const Vec& q_declared, VecIn a,
                          const Workspace<double>& work);

/// The origin and the axes of a joint's frame M, world axes, after forward_kinematics.
struct JointPlace {
  Vec3 p_WM;
  Mat3 R_WM;
};
JointPlace joint_place(const Model& model, int joint, const Workspace<double>& work);

/// The wrench on the declared child, at the origin of M, world axes, with the power of the joint forces tau
/// that are conjugate to the declared rates; q: declared coordinates. It is sum tau_k w_k, with w_k in the
/// span of the joint's motions S_l and w_k . S_l = 1 for k = l, else 0.
Vector<double, 6> joint_force_wrench(const Model& model, int joint, const double* q, const double* tau,
                                     const JointPlace& place);

}  // namespace torsor
