#pragma once

#include "constraint_rows.hpp"

namespace torsor::constraint {

/// The data that the rows of a joint need: its bodies, and the frames F in the parent and M in the child.
struct JointFrames {
  JointKind kind;
  double pitch;
  BodyRef P, C;
  Vector3 p_PF, p_CM;
  Matrix3 R_PF, R_CM;
  bool aligned;  ///< R_PF is the identity
};

/// The rows of a joint, in the order of JointType::rows.
void put_joint_rows(const JointFrames& joint, const Workspace<double>& work, const RowSink& out);

/// The rows of a homokinetic (constant-velocity) joint: three positions, and no twist about z.
void put_constant_velocity_rows(const JointFrames& joint, const Workspace<double>& work, const RowSink& out);

/// Whether couplings can name coordinates of a joint of this kind, and whether such a coordinate is an angle.
bool has_coordinates(JointKind kind);
bool is_angle(JointKind kind, int coordinate);

/// The row of a joint coordinate as declared (from parent to child). phi is the value of the coordinate; an
/// angle is in [-pi, pi], without full turns.
PairRow coordinate_row(const JointFrames& joint, int coordinate, const Workspace<double>& work);

}  // namespace torsor::constraint
