#include "constraint_plan.hpp"

#include <algorithm>

#include "force_laws.hpp"

namespace torsor::constraint {
namespace {

Vector3 unit(const Vec3& a) { return Vector3(Vec3(a.normalized())); }

using Row = Constraints::Row;

std::vector<Row> rows(int count, Row::Kind kind, bool rheonomic, bool holonomic = true) {
  return std::vector<Row>(count, Row{kind, holonomic, rheonomic});
}

bool moves(const TimeFunction& f) { return !f.is_constant(); }
bool moves(const TimeVec3& f) { return !is_constant(f); }
bool moves(const MovingPoint& point) { return moves(point.p); }

/// Unit of the multiplier of a sum of terms, each a force or a torque.
class SumKind {
 public:
  void add(bool torque) { (torque ? torques_ : forces_) = true; }
  Row::Kind kind() const {
    return forces_ && torques_ ? Row::Kind::mixed : torques_ ? Row::Kind::torque : Row::Kind::force;
  }

 private:
  bool forces_ = false, torques_ = false;
};

/// Rows of each law.
struct Rows {
  const Mechanism& mechanism;

  std::vector<Row> operator()(const Distance& law) const {
    return rows(1, Row::Kind::force, moves(law.a) || moves(law.b) || moves(law.length));
  }
  std::vector<Row> operator()(const PointOnLine& law) const {
    return rows(2, Row::Kind::force, moves(law.point) || moves(law.origin));
  }
  std::vector<Row> operator()(const PointOnPlane& law) const {
    return rows(1, Row::Kind::force, moves(law.point) || moves(law.origin) || moves(law.distance));
  }
  std::vector<Row> operator()(const PointDriver& law) const {
    const int count = static_cast<int>(std::count(law.along.begin(), law.along.end(), true));
    return rows(count, Row::Kind::force, moves(law.point) || moves(law.target));
  }
  std::vector<Row> operator()(const ConstantAngle& law) const {
    return rows(1, Row::Kind::torque, moves(law.angle));
  }
  std::vector<Row> operator()(const ConstantVelocityJoint&) const {
    std::vector<Row> out = rows(4, Row::Kind::force, false);
    out.back().kind = Row::Kind::torque;
    return out;
  }
  std::vector<Row> operator()(const JointCoupling& law) const {
    SumKind sum;
    for (const auto& term : law.terms) sum.add(is_angle(mechanism.joints[term.joint].kind, term.coordinate));
    return rows(1, sum.kind(), moves(law.value));
  }
  std::vector<Row> operator()(const VelocityLaw& law) const {
    using Quantity = VelocityLaw::Term::Quantity;
    SumKind sum;
    for (const auto& term : law.terms)
      sum.add(term.quantity == Quantity::angular_velocity ||
              (term.quantity == Quantity::joint_rate &&
               is_angle(mechanism.joints[term.joint].kind, term.coordinate)));
    return rows(1, sum.kind(), moves(law.value), false);
  }
  std::vector<Row> operator()(const Rolling& law) const {
    std::vector<Row> out = rows(3, Row::Kind::force, moves(law.plane.point) || moves(law.plane.angle));
    out[1].holonomic = out[2].holonomic = false;
    if (law.upright) out.push_back({Row::Kind::torque, true, moves(law.plane.angle)});
    return out;
  }
  std::vector<Row> operator()(const UserConstraint& law) const {
    return rows(law.rows, Row::Kind::mixed, true, law.holonomic);
  }
};

}  // namespace

std::array<Vec3, 2> tangents(const Vec3& z) {
  int least = 0;
  z.cwiseAbs().minCoeff(&least);
  const Vec3 x = (Vec3::Unit(least) - z[least] * z).normalized();
  return {x, z.cross(x)};
}

int row_count(const Joint& joint, const Mechanism& mechanism) {
  const auto particle = [&](int body) { return body != world && mechanism.bodies[body].particle; };
  if (particle(joint.parent) || particle(joint.child)) return 0;
  return 6 - freedom_count(joint.kind);
}

BodyRef Builder::body(int index) {
  if (index == world) return {};
  const int link = model_.link_of_body[index];
  const auto found = std::find(item_.links.begin(), item_.links.end(), link);
  const int slot = static_cast<int>(found - item_.links.begin());
  if (found == item_.links.end()) item_.links.push_back(link);
  return {link, slot};
}

JointFrames Builder::frames(const Joint& joint) {
  JointFrames out{joint.kind, joint.pitch, {}, body(joint.child), {}, {}, {}, {}};
  out.P = body(joint.parent);
  const SE3<> X_PF = joint.X_PF.normalized(), X_CM = joint.X_CM.normalized();
  out.p_PF = Vector3(X_PF.p), out.R_PF = Matrix3(X_PF.R.matrix());
  out.p_CM = Vector3(X_CM.p), out.R_CM = Matrix3(X_CM.R.matrix());
  return out;
}

Law Builder::operator()(const Distance& law) {
  const BodyRef a = body(law.a.body), b = body(law.b.body);
  return DistanceRow{a, b, law.a.p, law.b.p, law.length};
}

Law Builder::operator()(const PointOnLine& law) {
  PositionRows out{body(law.origin.body), body(law.point.body), law.origin.p, law.point.p, {}, 2, 0.};
  const auto [x, y] = tangents(law.direction.normalized());
  out.axes = {Vector3(x), Vector3(y), {}};
  return out;
}

Law Builder::operator()(const PointOnPlane& law) {
  return PositionRows{body(law.origin.body), body(law.point.body),       law.origin.p,
                      law.point.p,           {unit(law.normal), {}, {}}, 1,
                      law.distance};
}

Law Builder::operator()(const PointDriver& law) {
  PositionRows out{body(law.target.body), body(law.point.body), law.target.p, law.point.p, {}, 0, 0.};
  for (int i = 0; i < 3; ++i)
    if (law.along[i]) out.axes[out.count++] = Vector3(Vec3(Vec3::Unit(i)));
  return out;
}

Law Builder::operator()(const ConstantAngle& law) {
  const BodyRef a = body(law.body_a), b = body(law.body_b);
  return AngleRow{a, b, unit(law.u_a), unit(law.u_b), law.angle};
}

Law Builder::operator()(const ConstantVelocityJoint& law) {
  Joint joint;
  joint.kind = JointKind::spherical;  // not read
  joint.parent = law.parent, joint.child = law.child, joint.X_PF = law.X_PF, joint.X_CM = law.X_CM;
  return ConstantVelocityRows{frames(joint)};
}

CouplingRow::Term Builder::term(int joint, int coordinate, double ratio) {
  const JointFrames at = frames(model_.mechanism().joints[joint]);
  const bool counted = model_.link_of_joint[joint] >= 0 || at.kind == JointKind::helical;
  return {at, coordinate, ratio, joint, is_angle(at.kind, coordinate) && !counted};
}

Law Builder::operator()(const JointCoupling& law) {
  CouplingRow out{{}, law.value};
  for (const auto& [joint, coordinate, ratio] : law.terms)
    out.terms.push_back(term(joint, coordinate, ratio));
  return out;
}

Law Builder::operator()(const VelocityLaw& law) {
  using Quantity = VelocityLaw::Term::Quantity;
  VelocityRow out{{}, {}, law.value};
  for (const auto& each : law.terms) {
    if (each.quantity == Quantity::joint_rate) {
      out.rates.push_back(term(each.joint, each.coordinate, each.ratio));
      continue;
    }
    out.points.push_back({body(each.point.body), Vector3(each.point.p), Vector3(each.c),
                          each.quantity == Quantity::angular_velocity, each.body_axes});
  }
  return out;
}

Law Builder::operator()(const Rolling& law) {
  const Vec3 normal = law.plane.normal.normalized();
  const auto [x, y] = tangents(normal);
  return RollingRows{body(law.body), law, {Vector3(normal), Vector3(x), Vector3(y)}, unit(law.plane.axis)};
}

Law Builder::operator()(const UserConstraint& law) {
  UserLaw out{{}, law};
  for (const int index : law.bodies) out.bodies.push_back(body(index));
  return out;
}

std::vector<Row> rows_of(const Joint& joint, const Mechanism& mechanism) {
  const int count = row_count(joint, mechanism);
  std::vector<Row> out = rows(count, Row::Kind::torque, false);
  int forces = joint.kind == JointKind::translation ? 0 : 3;
  if (joint.kind == JointKind::prismatic || joint.kind == JointKind::cylindrical ||
      joint.kind == JointKind::helical)
    forces = 2;
  if (joint.kind == JointKind::planar) forces = 1;
  for (int i = 0; i < std::min(forces, count); ++i) out[i].kind = Row::Kind::force;
  if (joint.kind == JointKind::helical) out.back().kind = Row::Kind::force;
  return out;
}

std::vector<Row> rows_of(const Constraint& constraint, const Mechanism& mechanism) {
  return std::visit(Rows{mechanism}, constraint.law);
}

}  // namespace torsor::constraint
