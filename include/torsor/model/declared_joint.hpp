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

/// Coordinates whose pose is X_FM, where the joint can take it; else the nearest that its formulas give (the
/// caller compares joint_pose). Angles in (-pi, pi]; a helical joint's turns are counted by its displacement.
inline void joint_coordinates(JointKind kind, double pitch, const SE3<>& X_FM, double* q) {
  joint_type(kind).coordinates_at(pitch, X_FM, q);
}

/// Rates v whose twist is `twist` at q, where the joint can take it; else the nearest that its formulas give.
inline void joint_rates(JointKind kind, GroupProduct group, const double* q, const Vector<double, 6>& twist,
                        double* v) {
  joint_type(kind).rates_at(group, q, twist, v);
}

// Coordinates and rates of a link's inboard joint as declared (parent to child) against those inside the
// tree. They are the same numbers unless the joint is reversed. q and v point to the joint's own numbers.
void declared_from_tree(const Model& model, int link, const double* q, const double* v, double* q_declared,
                        double* v_declared);
void tree_from_declared(const Model& model, int link, const double* q_declared, const double* v_declared,
                        double* q, double* v);
/// Joint forces conjugate to the declared rates, in terms of the rates inside the tree (transposed map).
void tree_force_from_declared(const Model& model, int link, const double* q, const double* tau_declared,
                              double* tau);

/// Coordinates and rates of any joint of the mechanism, as declared: of the first coordinate_count and
/// freedom_count places.
struct DeclaredMotion {
  std::array<double, 7> q{};
  std::array<double, 6> v{};
};

/// From the tree's own numbers for an inboard joint, else from the poses and velocities of its bodies after
/// forward_kinematics; the angles of such a joint count turns from one call on this workspace to the next,
/// which must see less than half a turn.
DeclaredMotion declared_motion(const Model& model, int joint, VecIn q, VecIn v,
                               const Workspace<double>& work);

/// Rates of the declared rates of any joint at its declared coordinates, for accelerations a of the tree,
/// after forward_kinematics and body_accelerations.
Vec declared_acceleration(const Model& model, int joint, const Vec& q_declared, VecIn a,
                          const Workspace<double>& work);

/// Where a joint is: the origin of its frame M and the axes of M, world axes, after forward_kinematics.
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
