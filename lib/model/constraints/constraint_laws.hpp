#pragma once

#include <array>
#include <variant>
#include <vector>

#include "constraint_joints.hpp"
#include "torsor/model/constraints.hpp"

namespace torsor::constraint {

// The laws of Mechanism::constraints prepared for evaluation: bodies found, vectors normalised.

/// The state at one instant; `values` holds scratch memory.
struct Instant {
  const Model& model;
  const Workspace<double>& work;
  double t;
  VecIn q, v;
  ConstraintValues& values;
};

struct DistanceRow {
  BodyRef a, b;
  TimeVec3 p_a, p_b;
  TimeFunction length;
};

/// The position of a point along `count` unit vectors that are fixed in the body of the origin: for a point
/// on a line, a point on a plane and a point driver.
struct PositionRows {
  BodyRef origin, point;
  TimeVec3 p_origin, p_point;
  std::array<Vector3, 3> axes;
  int count = 0;
  TimeFunction distance = 0.;  ///< along the first axis
};

struct AngleRow {
  BodyRef a, b;
  Vector3 u_a, u_b;
  TimeFunction angle;
};

struct ConstantVelocityRows {
  JointFrames frames;
};

/// sum ratio_k q_k - value.
struct CouplingRow {
  struct Term {
    JointFrames frames;
    int coordinate;
    double ratio;
    int joint;
    bool free_turns;  ///< whether it is an angle of a loop joint (not helical), whose full turns are unknown
  };
  std::vector<Term> terms;
  TimeFunction value;
};

struct VelocityRow {
  struct Point {
    BodyRef body;
    Vector3 p, c;
    bool angular, body_axes;
  };
  std::vector<Point> points;
  std::vector<CouplingRow::Term> rates;
  TimeFunction value;
};

struct RollingRows {
  BodyRef body;
  Rolling law;
  std::array<Vector3, 3> axes;  ///< normal and two tangents of the plane at the angle 0
  Vector3 turn_axis;
};

struct UserLaw {
  std::vector<BodyRef> bodies;
  UserConstraint law;
};

using Law = std::variant<DistanceRow, PositionRows, AngleRow, ConstantVelocityRows, CouplingRow, VelocityRow,
                         RollingRows, UserLaw>;

void put_rows(const DistanceRow& law, const Instant& now, const RowSink& out);
void put_rows(const PositionRows& law, const Instant& now, const RowSink& out);
void put_rows(const AngleRow& law, const Instant& now, const RowSink& out);
void put_rows(const ConstantVelocityRows& law, const Instant& now, const RowSink& out);
void put_rows(const CouplingRow& law, const Instant& now, const RowSink& out);
void put_rows(const VelocityRow& law, const Instant& now, const RowSink& out);
void put_rows(const RollingRows& law, const Instant& now, const RowSink& out);
void put_rows(const UserLaw& law, const Instant& now, const RowSink& out);

/// Two unit vectors that form a right-handed frame with the unit vector z.
std::array<Vec3, 2> tangents(const Vec3& z);

}  // namespace torsor::constraint
