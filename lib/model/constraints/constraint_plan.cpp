#include "constraint_plan.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "model/forces/force_laws.hpp"
#include "torsor/model/joint_kind.hpp"
#include "torsor/model/multiplier_units.hpp"

namespace torsor::constraint {
namespace {

Vector3 unit(const Vec3& a) { return Vector3(Vec3(a.normalized())); }

using Row = Constraints::Row;

std::vector<Row> rows(std::initializer_list<const char*> names, Row::Kind kind, bool rheonomic,
                      bool holonomic = true) {
  std::vector<Row> out;
  for (const char* const name : names) out.push_back({kind, holonomic, rheonomic, name});
  return out;
}

constexpr std::array position{"position x", "position y", "position z"};

const char* name_of(JointRow row) {
  constexpr std::array names{
      position[0],          position[1],    position[2],    "turn about x", "turn about y",
      "angle of the cross", "turn about x", "turn about y", "turn about z", "rise"};
  return names[static_cast<std::size_t>(row)];
}

bool moves(const TimeFunction& f) { return !f.is_constant(); }
bool moves(const TimeVec3& f) { return !is_constant(f); }
bool moves(const MovingPoint& point) { return moves(point.p); }

/// A turntable: its normal stands still.
bool turns_in_itself(const MovingPlane& plane) {
  return plane.normal.cross(plane.axis).norm() <= 1e-12 * plane.normal.norm() * plane.axis.norm();
}

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
    return rows({"length"}, Row::Kind::force, moves(law.a) || moves(law.b) || moves(law.length));
  }
  std::vector<Row> operator()(const PointOnLine& law) const {
    return rows({"across 1", "across 2"}, Row::Kind::force, moves(law.point) || moves(law.origin));
  }
  std::vector<Row> operator()(const PointOnPlane& law) const {
    return rows({"distance"}, Row::Kind::force, moves(law.point) || moves(law.origin) || moves(law.distance));
  }
  std::vector<Row> operator()(const PointDriver& law) const {
    std::vector<Row> out;
    for (int i = 0; i < 3; ++i)
      if (law.along[i])
        out.push_back({Row::Kind::force, true, moves(law.point) || moves(law.target), position[i]});
    return out;
  }
  std::vector<Row> operator()(const ConstantAngle& law) const {
    return rows({"angle"}, Row::Kind::torque, moves(law.angle));
  }
  std::vector<Row> operator()(const ConstantVelocityJoint&) const {
    std::vector<Row> out = rows({position[0], position[1], position[2], "twist"}, Row::Kind::force, false);
    out.back().kind = Row::Kind::torque;
    return out;
  }
  std::vector<Row> operator()(const JointCoupling& law) const {
    SumKind sum;
    for (const auto& term : law.terms) sum.add(is_angle(mechanism.joints[term.joint].kind, term.coordinate));
    return rows({"coordinates"}, sum.kind(), moves(law.value));
  }
  std::vector<Row> operator()(const VelocityLaw& law) const {
    using Quantity = VelocityLaw::Term::Quantity;
    SumKind sum;
    for (const auto& term : law.terms)
      sum.add(term.quantity == Quantity::angular_velocity ||
              (term.quantity == Quantity::joint_rate &&
               is_angle(mechanism.joints[term.joint].kind, term.coordinate)));
    return rows({"velocities"}, sum.kind(), moves(law.value), false);
  }
  std::vector<Row> operator()(const Rolling& law) const {
    const bool turns = moves(law.plane.angle), tilts = turns && !turns_in_itself(law.plane);
    std::vector<Row> out =
        rows({"gap", "slip 1", "slip 2"}, Row::Kind::force, moves(law.plane.point) || turns);
    out[0].rheonomic = moves(law.plane.point) || tilts;
    out[1].holonomic = out[2].holonomic = false;
    if (law.upright) out.push_back({Row::Kind::torque, true, tilts, "upright"});
    return out;
  }
  std::vector<Row> operator()(const UserConstraint& law) const {
    std::vector<Row> out;
    for (int i = 1; i <= law.rows; ++i)
      out.push_back({Row::Kind::mixed, law.holonomic, true, "row " + std::to_string(i)});
    return out;
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
  return static_cast<int>(joint_type(joint.kind).rows.size());
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
  if (row_count(joint, mechanism) == 0) return {};
  std::vector<Row> out;
  for (const JointRow row : joint_type(joint.kind).rows) {
    const bool force = row <= JointRow::along_z || row == JointRow::rise;
    out.push_back({force ? Row::Kind::force : Row::Kind::torque, true, false, name_of(row)});
  }
  return out;
}

std::vector<Row> rows_of(const Constraint& constraint, const Mechanism& mechanism) {
  return std::visit(Rows{mechanism}, constraint.law);
}

}  // namespace torsor::constraint

std::vector<std::string> torsor::multiplier_units(const Constraint& constraint, const Mechanism& mechanism) {
  std::vector<std::string> all;
  for (const Constraints::Row& row : constraint::rows_of(constraint, mechanism)) {
    using Kind = Constraints::Row::Kind;
    all.push_back(row.kind == Kind::force ? "N" : row.kind == Kind::torque ? "N m" : "");
  }
  return all;
}
