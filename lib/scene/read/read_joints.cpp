#include <fmt/format.h>

#include "attitude.hpp"
#include "reading.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::scene {
namespace {

/// Reports keys that do not apply to this kind of joint.
void check_keys(const TableReader& table, JointKind kind) {
  const auto refuse = [&](std::string_view key, bool used) {
    if (table.find(key) && !used)
      table.error(key, fmt::format("\"{}\" does not apply to {}: it is a {} joint", key, table.where(),
                                   table.text("kind")));
  };
  refuse("pitch", kind == JointKind::helical);
  refuse("position", kind == JointKind::free);
  refuse("coordinates", !joint_type(kind).quaternion && kind != JointKind::fixed);
  refuse("rates", kind != JointKind::fixed);
  for (std::string_view key : attitude_keys) refuse(key, joint_type(kind).quaternion);
  if (kind == JointKind::helical && !table.find("pitch"))
    table.error({}, fmt::format("{} needs \"pitch\"", table.where()));
}

std::optional<Vec> read_values(const TableReader& table, std::string_view key,
                               const std::vector<std::string_view>& units) {
  if (!table.find(key)) return std::nullopt;
  const auto values = table.numbers(key, units);
  if (!values) return std::nullopt;
  if (values->size() != units.size()) {
    table.error(key, fmt::format("\"{}\" of {} must have {} number{}, got {}", key, table.where(),
                                 units.size(), units.size() == 1 ? "" : "s", values->size()));
    return std::nullopt;
  }
  return Vec(Eigen::Map<const Vec>(values->data(), static_cast<Eigen::Index>(values->size())));
}

JointStart read_joint_start(const TableReader& table, JointKind kind, std::vector<std::string>& notes) {
  JointStart start;
  const auto units = coordinate_units(kind);
  std::vector<std::string_view> rate_units;
  rate_units.reserve(units.size());
  for (std::string_view unit : units) rate_units.push_back(unit == "m" ? "m/s" : "rad/s");
  if (kind == JointKind::fixed) return start;
  start.v = read_values(table, "rates", rate_units);
  if (!joint_type(kind).quaternion) {
    start.q = read_values(table, "coordinates", units);
    return start;
  }
  const auto attitude = read_attitude(table, notes);
  const auto position = kind == JointKind::free ? table.vec3("position") : std::nullopt;
  if (!attitude && !position) return start;
  const SE3<> X_FM(attitude.value_or(SO3<>::identity()), position.value_or(Vec3::Zero()));
  start.q.emplace(coordinate_count(kind));
  if (kind == JointKind::free)
    X_FM.to(start.q->data());
  else
    X_FM.R.to(start.q->data());
  return start;
}

}  // namespace

void read_frames(const TableReader& table, Joint& joint, std::vector<std::string>& notes) {
  const TableReader F = table.inner("parent_frame"), M = table.inner("child_frame");
  joint.X_PF = read_frame(F, notes);
  joint.X_CM = read_frame(M, notes);
  if (!table.find("axis")) return;
  joint.X_PF.R = joint.X_CM.R = rotation_from_z(read_direction(table, "axis"));
  std::vector<std::string_view> keys = attitude_keys;
  keys.push_back("axis");
  for (const TableReader* frame : {&F, &M})
    for (std::string_view key : keys)
      if (frame->find(key))
        frame->error(key, fmt::format("\"{}\" of {}: the \"axis\" of {} gives this attitude already", key,
                                      frame->where(), table.where()));
}

std::vector<std::string_view> coordinate_units(JointKind kind) {
  std::vector<std::string_view> units;
  for (const JointRate& rate : joint_type(kind).rates) units.push_back(rate.unit == "m/s" ? "m" : "rad");
  return units;
}

void read_cut(Reading& reading) {
  const TableReader integrator = reading.section("integrator");
  for (const std::string& name : integrator.texts("cut")) {
    const int joint = reading.joints.find(name);
    if (joint >= 0)
      reading.scene.cut.push_back(joint);
    else
      integrator.error("cut", [&] {
        return fmt::format("\"cut\" of [integrator]: unknown joint \"{}\"{}", name,
                           reading.joints.hint(name));
      });
  }
}

void read_joints(Reading& reading) {
  Scene& scene = reading.scene;
  for (const TableReader& table : reading.tables("joint")) {
    Joint joint;
    joint.name = table.text("name");
    joint.kind = find_joint_kind(table.text("kind")).value_or(JointKind::fixed);
    joint.parent = reading.body(table, "parent");
    joint.child = reading.body(table, "child");
    read_frames(table, joint, scene.notes);
    const bool kind_known = table.readable("kind");
    if (kind_known) check_keys(table, joint.kind);
    if (joint.kind == JointKind::helical) joint.pitch = table.number("pitch").value_or(0);
    scene.start.joints.push_back(kind_known ? read_joint_start(table, joint.kind, scene.notes)
                                            : JointStart());
    scene.mechanism.joints.push_back(std::move(joint));
  }
}

}  // namespace torsor::scene
