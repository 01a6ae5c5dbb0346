#pragma once

#include <memory>
#include <vector>

#include "constraint_check.hpp"
#include "constraint_joints.hpp"
#include "time_values.hpp"
#include "torsor/model/constraints.hpp"

namespace torsor::constraint {

using Row = Constraints::Row;

/// The state at one instant; `values` holds scratch memory.
struct Instant {
  const Model& model;
  const Workspace<double>& work;
  double t;
  VecIn q, v;
  ConstraintValues& values;
};

/// A law of Mechanism::constraints prepared for evaluation: bodies found, vectors normalised.
class PreparedLaw {
 public:
  virtual ~PreparedLaw() = default;
  virtual void put_rows(const Instant& now, const RowSink& out) const = 0;
};
using Prepared = std::unique_ptr<const PreparedLaw>;

/// Finds the bodies and joints of one item and collects the links that it acts on, each once.
class Builder {
 public:
  Builder(const Model& model, Constraints::Item& item) : model_(model), item_(item) {}

  const Model& model() const { return model_; }
  BodyRef body(int index);
  JointFrames frames(const Joint& joint);

 private:
  const Model& model_;
  Constraints::Item& item_;
};

// Each law is one file. It defines three functions for the data of the law:
//
//   check    collects what is wrong with the data
//   rows_of  states the kind of multiplier of each row, whether it is holonomic, and whether it depends on time
//   prepare  finds the bodies; the object that it returns computes phi, a0, gamma and the blocks of the rows

void check(const Distance& law, Check& at);
std::vector<Row> rows_of(const Distance& law, const Mechanism& mechanism);
Prepared prepare(const Distance& law, Builder& build);

void check(const PointOnLine& law, Check& at);
std::vector<Row> rows_of(const PointOnLine& law, const Mechanism& mechanism);
Prepared prepare(const PointOnLine& law, Builder& build);

void check(const PointOnPlane& law, Check& at);
std::vector<Row> rows_of(const PointOnPlane& law, const Mechanism& mechanism);
Prepared prepare(const PointOnPlane& law, Builder& build);

void check(const PointDriver& law, Check& at);
std::vector<Row> rows_of(const PointDriver& law, const Mechanism& mechanism);
Prepared prepare(const PointDriver& law, Builder& build);

void check(const ConstantAngle& law, Check& at);
std::vector<Row> rows_of(const ConstantAngle& law, const Mechanism& mechanism);
Prepared prepare(const ConstantAngle& law, Builder& build);

void check(const ConstantVelocityJoint& law, Check& at);
std::vector<Row> rows_of(const ConstantVelocityJoint& law, const Mechanism& mechanism);
Prepared prepare(const ConstantVelocityJoint& law, Builder& build);

void check(const JointCoupling& law, Check& at);
std::vector<Row> rows_of(const JointCoupling& law, const Mechanism& mechanism);
Prepared prepare(const JointCoupling& law, Builder& build);

void check(const VelocityLaw& law, Check& at);
std::vector<Row> rows_of(const VelocityLaw& law, const Mechanism& mechanism);
Prepared prepare(const VelocityLaw& law, Builder& build);

void check(const Rolling& law, Check& at);
std::vector<Row> rows_of(const Rolling& law, const Mechanism& mechanism);
Prepared prepare(const Rolling& law, Builder& build);

void check(const UserConstraint& law, Check& at);
std::vector<Row> rows_of(const UserConstraint& law, const Mechanism& mechanism);
Prepared prepare(const UserConstraint& law, Builder& build);

/// The rows of a joint or a constraint.
int row_count(const Joint& joint, const Mechanism& mechanism);
std::vector<Row> rows_of(const Joint& joint, const Mechanism& mechanism);
std::vector<Row> rows_of(const Constraint& constraint, const Mechanism& mechanism);

// ---- parts that several laws use

/// Holonomic rows with these names.
std::vector<Row> rows(std::initializer_list<const char*> names, Row::Kind kind, bool rheonomic);
/// "position x", ...
const char* position_name(int axis);

inline bool moves(const TimeFunction& f) { return !f.is_constant(); }
inline bool moves(const TimeVec3& f) { return !is_constant(f); }
inline bool moves(const MovingPoint& point) { return moves(point.p); }

inline Vector3 unit(const Vec3& a) { return Vector3(Vec3(a.normalized())); }
/// Two unit vectors that form a right-handed frame with the unit vector z.
std::array<Vec3, 2> tangents(const Vec3& z);

}  // namespace torsor::constraint
