#include "constraint_check.hpp"

#include <cmath>
#include <limits>
#include <unordered_set>

#include "constraint_kind.hpp"

namespace torsor::constraint {

std::string label(const Constraint& constraint, int index) {
  if (constraint.name.empty()) return "constraint #" + std::to_string(index + 1);
  return "constraint \"" + constraint.name + "\"";
}

void Check::reject(const std::string& reason) {
  reasons_.push_back(
      {constraint_part(index_), {}, label(mechanism_.constraints[index_], index_) + ": " + reason});
}

bool Check::is_body(int index) const {
  return index >= 0 && index < static_cast<int>(mechanism_.bodies.size());
}

bool Check::is_particle(int index) const { return is_body(index) && mechanism_.bodies[index].particle; }

void Check::body(int index) {
  require(index == world || is_body(index), "no body with index " + std::to_string(index));
}

void Check::two_bodies(int a, int b) {
  require(a != b, a == world ? "it acts on the ground alone" : "both of its ends are on one body");
}

void Check::attitude(int index) {
  body(index);
  if (is_particle(index)) reject("the particle \"" + mechanism_.bodies[index].name + "\" has no attitude");
}

void Check::on_particle(int index, bool at_centre) {
  if (is_particle(index) && !at_centre)
    reject("the point on the particle \"" + mechanism_.bodies[index].name + "\" is not the particle itself");
}

void Check::point(const MovingPoint& at) {
  body(at.body);
  of_time(at.p, "a point");
  on_particle(at.body, is_zero(at.p));
}

void Check::direction(const Vec3& a, const std::string& what) {
  if (!a.allFinite()) return reject(what + " is not finite");
  if (a == Vec3::Zero()) return reject(what + " is zero");
  const double square = a.squaredNorm();
  require(std::isfinite(square), what + " is so long that the square of its length overflows");
  require(square >= std::numeric_limits<double>::min(),
          what + " is so short that the square of its length underflows");
}

void Check::frame(const SE3<>& X, const std::string& what) {
  const Vector<double, 4> q(X.R.x(), X.R.y(), X.R.z(), X.R.w());
  require(X.p.allFinite() && std::abs(q.norm() - 1) <= 1e-6, what + " is not rigid");
}

void Check::coordinate(int joint_index, int index, double ratio) {
  require(std::isfinite(ratio), "a ratio is not finite");
  require(ratio != 0, "a ratio is zero");
  if (joint_index < 0 || joint_index >= static_cast<int>(mechanism_.joints.size()))
    return reject("no joint with index " + std::to_string(joint_index));
  const Joint& joint = mechanism_.joints[joint_index];
  const std::string name = "joint \"" + joint.name + "\"";
  if (!has_coordinates(joint.kind))
    return reject(name +
                  " has no coordinate that a constraint could name; constrain points or directions of its "
                  "bodies, as point-driver and constant-angle do");
  const int freedoms = freedom_count(joint.kind);
  require(index >= 0 && index < freedoms, name + " has " + std::to_string(freedoms) +
                                              (freedoms == 1 ? " degree of freedom" : " degrees of freedom") +
                                              ", no coordinate " + std::to_string(index));
}

}  // namespace torsor::constraint

namespace torsor {

Reasons why_constraints_invalid(const Mechanism& mechanism) {
  Reasons reasons;
  std::unordered_set<std::string> names;
  for (int i = 0; i < static_cast<int>(mechanism.constraints.size()); ++i) {
    const Constraint& each = mechanism.constraints[i];
    if (!each.name.empty() && !names.insert(each.name).second)
      reasons.push_back({constraint_part(i), {}, constraint::label(each, i) + ": the name is taken twice"});
    constraint::Check at(mechanism, i, reasons);
    with_kind(each, [&](const auto& kind, const auto& law) { kind.check(law, at); });
  }
  return reasons;
}

void read_law(const LawTable& table, Constraint& constraint) { read_alternative(table, constraint.law); }

}  // namespace torsor
