#pragma once

#include "constraint_rows.hpp"

namespace torsor::constraint {

/// A joint as its rows need it: frames F in the parent, M in the child.
struct JointFrames {
  JointKind kind;
  double pitch;
  BodyRef P, C;
  Vector3 p_PF, p_CM;
  Matrix3 R_PF, R_CM;
};

/// The rows of a joint: positions along x y z of F, then attitude, then the coupling of a helix.
void put_joint_rows(const JointFrames& joint, const Workspace<double>& work, const RowSink& out);

/// The rows of a homokinetic joint: three positions, and no twist about z.
void put_constant_velocity_rows(const JointFrames& joint, const Workspace<double>& work, const RowSink& out);

/// Whether couplings can name coordinates of such a joint, and whether one of them is an angle.
bool has_coordinates(JointKind kind);
bool is_angle(JointKind kind, int coordinate);

/// A joint coordinate as declared, phi its value: an angle in [-pi, pi], without its turns.
PairRow coordinate_row(const JointFrames& joint, int coordinate, const Workspace<double>& work);

}  // namespace torsor::constraint
