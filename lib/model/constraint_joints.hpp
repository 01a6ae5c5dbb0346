#pragma once

#include "constraint_rows.hpp"

namespace torsor::constraint {

/// The data of a joint for its rows: the frame F in the parent, M in the child.
struct JointFrames {
  JointKind kind;
  double pitch;
  BodyRef P, C;
  Vector3 p_PF, p_CM;
  Matrix3 R_PF, R_CM;
};

/// The rows of a joint, in the order of JointType::rows.
void put_joint_rows(const JointFrames& joint, const Workspace<double>& work, const RowSink& out);

/// The rows of a homokinetic joint: three positions, and no twist about z.
void put_constant_velocity_rows(const JointFrames& joint, const Workspace<double>& work, const RowSink& out);

/// Whether couplings can name coordinates of a joint of this kind, and whether such a coordinate is an angle.
bool has_coordinates(JointKind kind);
bool is_angle(JointKind kind, int coordinate);

/// A joint coordinate as declared, phi its value: an angle in [-pi, pi], without its turns.
PairRow coordinate_row(const JointFrames& joint, int coordinate, const Workspace<double>& work);

}  // namespace torsor::constraint
