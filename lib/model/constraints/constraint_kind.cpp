#include "constraint_kind.hpp"

#include <algorithm>

#include "model/multiplier_units.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::constraint {
namespace {

constexpr std::array position{"position x", "position y", "position z"};

const char* name_of(JointRow row) {
  constexpr std::array names{
      position[0],          position[1],    position[2],    "turn about x", "turn about y",
      "angle of the cross", "turn about x", "turn about y", "turn about z", "rise"};
  return names[static_cast<std::size_t>(row)];
}

}  // namespace

const char* position_name(int axis) { return position[static_cast<std::size_t>(axis)]; }

std::vector<Row> rows(std::initializer_list<const char*> names, Row::Kind kind, bool rheonomic) {
  std::vector<Row> out;
  for (const char* const name : names) out.push_back({kind, true, rheonomic, name});
  return out;
}

std::array<Vec3, 2> tangents(const Vec3& z) {
  int least = 0;
  z.cwiseAbs().minCoeff(&least);
  const Vec3 x = (Vec3::Unit(least) - z[least] * z).normalized();
  return {x, z.cross(x)};
}

double nonzero(const LawTable& table, std::string_view key) {
  const double value = table.number(key).value_or(1);
  if (value == 0) table.error(key, "\"" + std::string(key) + "\" of " + table.where() + " must not be 0");
  return value;
}

void mark_coordinate(const Mechanism& mechanism, int joint, int coordinate, bool driven, LawDrawing& out) {
  const Joint& one = mechanism.joints[static_cast<std::size_t>(joint)];
  const bool slides = joint_type(one.kind).rates[static_cast<std::size_t>(coordinate)].unit == "m/s";
  out.mark(driven ? slides ? "actuator" : "motor" : slides ? "rack" : "gear", one.child, one.X_CM);
}

int row_count(const Joint& joint, const Mechanism& mechanism) {
  const auto particle = [&](int body) { return body != world && mechanism.bodies[body].particle; };
  if (particle(joint.parent) || particle(joint.child)) return 0;
  return static_cast<int>(joint_type(joint.kind).rows.size());
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
  return with_kind(constraint,
                   [&](const auto& kind, const auto& law) { return kind.rows_of(law, mechanism); });
}

BodyRef Builder::body(int index) {
  if (index == world) {
    item_.grounded = true;
    return {};
  }
  const int link = model_.link_of_body[index];
  const auto found = std::find(item_.links.begin(), item_.links.end(), link);
  const int slot = static_cast<int>(found - item_.links.begin());
  if (found == item_.links.end()) item_.links.push_back(link);
  return {link, slot};
}

JointFrames Builder::frames(const Joint& joint) {
  JointFrames out{joint.kind, joint.pitch, {}, body(joint.child), {}, {}, {}, {}, false};
  out.P = body(joint.parent);
  const SE3<> X_PF = joint.X_PF.normalized(), X_CM = joint.X_CM.normalized();
  out.p_PF = Vector3(X_PF.p), out.R_PF = Matrix3(X_PF.R.matrix());
  out.p_CM = Vector3(X_CM.p), out.R_CM = Matrix3(X_CM.R.matrix());
  out.aligned = X_PF.R.matrix() == Mat3::Identity();
  return out;
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
