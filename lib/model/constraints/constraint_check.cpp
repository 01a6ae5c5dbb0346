#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "constraint_joints.hpp"
#include "time_values.hpp"
#include "torsor/model/constraints.hpp"

namespace torsor {
namespace {

std::string label(const Constraint& constraint, int index) {
  if (constraint.name.empty()) return "constraint #" + std::to_string(index + 1);
  return "constraint \"" + constraint.name + "\"";
}

/// Collects what is wrong with one constraint.
class ConstraintCheck {
 public:
  ConstraintCheck(const Mechanism& mechanism, int index, Reasons& reasons)
      : mechanism_(mechanism), index_(index), reasons_(reasons) {}

  void operator()(const Distance& law) {
    point(law.a);
    point(law.b);
    two_bodies(law.a.body, law.b.body);
    require(finite(law.length), "the length is not finite");
    require(!(law.length.is_constant() && law.length(0) <= 0), "the length is not positive");
  }

  void operator()(const PointOnLine& law) {
    point(law.point);
    point(law.origin);
    two_bodies(law.point.body, law.origin.body);
    direction(law.direction, "the direction");
  }

  void operator()(const PointOnPlane& law) {
    point(law.point);
    point(law.origin);
    two_bodies(law.point.body, law.origin.body);
    direction(law.normal, "the normal");
    require(finite(law.distance), "the distance is not finite");
  }

  void operator()(const PointDriver& law) {
    point(law.point);
    point(law.target);
    two_bodies(law.point.body, law.target.body);
    require(law.along[0] || law.along[1] || law.along[2], "no axis is driven");
  }

  void operator()(const ConstantAngle& law) {
    attitude(law.body_a);
    attitude(law.body_b);
    two_bodies(law.body_a, law.body_b);
    direction(law.u_a, "the first direction");
    direction(law.u_b, "the second direction");
    require(finite(law.angle), "the angle is not finite");
    if (law.angle.is_constant() && std::isfinite(law.angle(0)))
      require(law.angle(0) > 0 && law.angle(0) < std::numbers::pi,
              "the angle is not inside (0, pi): parallel directions take two rows, as a universal joint or a "
              "hinge has");
  }

  void operator()(const ConstantVelocityJoint& law) {
    attitude(law.parent);
    attitude(law.child);
    two_bodies(law.parent, law.child);
    frame(law.X_PF, "the frame on the parent");
    frame(law.X_CM, "the frame on the child");
  }

  void operator()(const JointCoupling& law) {
    require(!law.terms.empty(), "no joint coordinate is named");
    for (const auto& term : law.terms) coordinate(term.joint, term.coordinate, term.ratio);
    require(finite(law.value), "the value is not finite");
  }

  void operator()(const VelocityLaw& law) {
    require(!law.terms.empty(), "no velocity is named");
    for (const VelocityLaw::Term& term : law.terms) velocity(term);
    require(finite(law.value), "the value is not finite");
  }

  void operator()(const Rolling& law) {
    attitude(law.body);
    require(law.body != world, "the ground does not roll");
    require(law.centre.allFinite(), "the centre is not finite");
    std::visit([this](const auto& surface) { shape(surface); }, law.shape);
    require(finite(law.plane.point), "the point of the plane is not finite");
    direction(law.plane.normal, "the normal of the plane");
    direction(law.plane.axis, "the axis that the plane turns about");
    require(finite(law.plane.angle), "the angle of the plane is not finite");
    require(!law.upright || std::holds_alternative<RollingDisk>(law.shape),
            "only a disk can be kept upright");
  }

  void operator()(const UserConstraint& law) {
    require(bool(law.function), "no function is given");
    require(law.rows > 0, "it has no rows");
    require(!law.bodies.empty(), "it acts on no body");
    std::unordered_set<int> seen;
    for (const int index : law.bodies) {
      body(index);
      require(index != world, "the ground is listed among its bodies");
      require(seen.insert(index).second, "a body is listed twice");
    }
  }

 private:
  void reject(const std::string& reason) {
    reasons_.push_back(
        {constraint_part(index_), {}, label(mechanism_.constraints[index_], index_) + ": " + reason});
  }

  void require(bool condition, const std::string& reason) {
    if (!condition) reject(reason);
  }

  bool is_body(int index) const { return index >= 0 && index < static_cast<int>(mechanism_.bodies.size()); }
  bool is_particle(int index) const { return is_body(index) && mechanism_.bodies[index].particle; }

  void body(int index) {
    require(index == world || is_body(index), "no body with index " + std::to_string(index));
  }

  void two_bodies(int a, int b) {
    require(a != b, a == world ? "it acts on the ground alone" : "both of its ends are on one body");
  }

  void attitude(int index) {
    body(index);
    if (is_particle(index)) reject("the particle \"" + mechanism_.bodies[index].name + "\" has no attitude");
  }

  void on_particle(int index, bool at_centre) {
    if (is_particle(index) && !at_centre)
      reject("the point on the particle \"" + mechanism_.bodies[index].name +
             "\" is not the particle itself");
  }

  void point(const MovingPoint& at) {
    body(at.body);
    require(finite(at.p), "a point is not finite");
    on_particle(at.body, is_zero(at.p));
  }

  void direction(const Vec3& a, const std::string& what) {
    if (!a.allFinite()) return reject(what + " is not finite");
    require(a.norm() > 0, what + " is zero");
  }

  void frame(const SE3<>& X, const std::string& what) {
    const Vector<double, 4> q(X.R.x(), X.R.y(), X.R.z(), X.R.w());
    require(X.p.allFinite() && std::abs(q.norm() - 1) <= 1e-6, what + " is not rigid");
  }

  void coordinate(int joint_index, int index, double ratio) {
    require(std::isfinite(ratio), "a ratio is not finite");
    require(ratio != 0, "a ratio is zero");
    if (joint_index < 0 || joint_index >= static_cast<int>(mechanism_.joints.size()))
      return reject("no joint with index " + std::to_string(joint_index));
    const Joint& joint = mechanism_.joints[joint_index];
    const std::string name = "joint \"" + joint.name + "\"";
    if (!constraint::has_coordinates(joint.kind))
      return reject(name + " has no coordinate that a constraint could name");
    const int freedoms = freedom_count(joint.kind);
    require(index >= 0 && index < freedoms, name + " has " + std::to_string(freedoms) +
                                                (freedoms == 1 ? " freedom" : " freedoms") +
                                                ", no coordinate " + std::to_string(index));
  }

  void velocity(const VelocityLaw::Term& term) {
    using Quantity = VelocityLaw::Term::Quantity;
    if (term.quantity == Quantity::joint_rate) return coordinate(term.joint, term.coordinate, term.ratio);
    direction(term.c, "a direction");
    require(term.point.body != world, "the ground does not move");
    if (term.quantity == Quantity::angular_velocity) return attitude(term.point.body);
    body(term.point.body);
    require(term.point.p.allFinite(), "a point is not finite");
    on_particle(term.point.body, term.point.p.isZero(0));
  }

  void shape(const RollingSphere& sphere) { length(sphere.radius, "the radius"); }
  void shape(const RollingDisk& disk) {
    direction(disk.axis, "the axis of the disk");
    length(disk.radius, "the radius");
    require(std::isfinite(disk.edge) && disk.edge >= 0, "the radius of the edge is negative or not finite");
  }
  void shape(const RollingEllipsoid& ellipsoid) {
    for (const double axis : ellipsoid.semi_axes) length(axis, "a semi-axis");
  }
  void length(double value, const std::string& what) {
    require(std::isfinite(value) && value > 0, what + " is not positive and finite");
  }

  const Mechanism& mechanism_;
  int index_;
  Reasons& reasons_;
};

}  // namespace

Reasons why_constraints_invalid(const Mechanism& mechanism) {
  Reasons reasons;
  std::unordered_set<std::string> names;
  for (int i = 0; i < static_cast<int>(mechanism.constraints.size()); ++i) {
    const Constraint& each = mechanism.constraints[i];
    if (!each.name.empty() && !names.insert(each.name).second)
      reasons.push_back({constraint_part(i), {}, label(each, i) + ": the name is taken twice"});
    std::visit(ConstraintCheck(mechanism, i, reasons), each.law);
  }
  return reasons;
}

}  // namespace torsor
