#include "replay_scene.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "body_shapes.hpp"

namespace torsor {
namespace {

const char* name_of(JointKind kind) {
  constexpr std::array names{"fixed",     "revolute", "prismatic", "helical", "cylindrical",
                             "universal", "planar",   "spherical", "free",    "translation"};
  return names[static_cast<std::size_t>(kind)];
}

void frame(JsonWriter& json, const SE3<>& X) {
  json.vector("p", X.p);
  std::array<double, 4> xyzw;
  X.R.to(xyzw.data());
  json.vector("q", xyzw);
}

void shape(JsonWriter& json, const Shape& shape) {
  constexpr std::array kinds{"ellipsoid", "box", "cylinder"};
  json.open();
  json.text("kind", kinds[static_cast<std::size_t>(shape.kind)]);
  json.vector("size", shape.size);
  frame(json, shape.X_BS);
  json.close();
}

/// Where joints, rods and springs take hold of a body: thin lines lead there from its mass centre.
std::vector<std::vector<Vec3>> holds(const Mechanism& mechanism) {
  std::vector<std::vector<Vec3>> all(mechanism.bodies.size());
  const auto add = [&](int body, const Vec3& p) {
    if (body != world) all[static_cast<std::size_t>(body)].push_back(p);
  };
  for (const Joint& joint : mechanism.joints) {
    add(joint.parent, joint.X_PF.p);
    add(joint.child, joint.X_CM.p);
  }
  for (const Constraint& constraint : mechanism.constraints)
    if (const auto* joint = std::get_if<ConstantVelocityJoint>(&constraint.law)) {
      add(joint->parent, joint->X_PF.p);
      add(joint->child, joint->X_CM.p);
    }
  return all;
}

void bodies(JsonWriter& json, const Scene& scene) {
  const auto all = holds(scene.mechanism);
  json.open_list("bodies");
  for (std::size_t i = 0; i < scene.mechanism.bodies.size(); ++i) {
    const Body& body = scene.mechanism.bodies[i];
    json.open();
    json.text("name", body.name);
    if (i < scene.looks.size() && !scene.looks[i].color.empty()) json.text("color", scene.looks[i].color);
    json.flag("particle", body.particle);
    json.flag("semidirect", body.group == GroupProduct::semidirect);
    json.number("mass", body.mass);
    json.open_list("shapes");
    for (const Shape& one : body_shapes(scene, i)) shape(json, one);
    json.close();
    json.open_list("nodes");
    for (const ParticleNode& node : body.nodes) {
      json.open();
      json.text("name", node.name);
      json.vector("p", node.p);
      json.close();
    }
    json.close();
    json.open_list("holds");
    for (const Vec3& p : all[i]) json.vector("", p);
    json.close();
    json.close();
  }
  json.close();
}

/// The joint's frame on the child; of a joint to the ground also that on the ground, which stays there.
void joint(JsonWriter& json, const std::string& name, const char* kind, const Joint& joint) {
  json.open();
  json.text("name", name);
  json.text("kind", kind);
  json.integer("child", joint.child);
  frame(json, joint.X_CM);
  if (joint.parent == world) {
    json.open("ground");
    frame(json, joint.X_PF);
    json.close();
  }
  json.close();
}

void joints(JsonWriter& json, const Mechanism& mechanism) {
  json.open_list("joints");
  for (const Joint& one : mechanism.joints) joint(json, one.name, name_of(one.kind), one);
  for (const Constraint& constraint : mechanism.constraints)
    if (const auto* one = std::get_if<ConstantVelocityJoint>(&constraint.law)) {
      Joint like;
      like.parent = one->parent, like.child = one->child, like.X_PF = one->X_PF, like.X_CM = one->X_CM;
      joint(json, constraint.name, "constant-velocity", like);
    }
  json.close();
}

/// The end of a line, where it stands still on its body.
std::optional<BodyPoint> still(const MovingPoint& point) {
  Vec3 p;
  for (int k = 0; k < 3; ++k) {
    const TimeFunction& component = point.p[static_cast<std::size_t>(k)];
    if (!component.is_constant()) return std::nullopt;
    p[k] = component(0);
  }
  return BodyPoint{point.body, p};
}

void line(JsonWriter& json, const std::string& name, const char* kind, const BodyPoint& a,
          const BodyPoint& b) {
  json.open();
  json.text("name", name);
  json.text("kind", kind);
  for (const auto& [key, end] : {std::pair("a", a), std::pair("b", b)}) {
    json.open(key);
    json.integer("body", end.body);
    json.vector("p", end.p);
    json.close();
  }
  json.close();
}

void lines(JsonWriter& json, const Mechanism& mechanism) {
  json.open_list("lines");
  for (const Constraint& constraint : mechanism.constraints)
    if (const auto* rod = std::get_if<Distance>(&constraint.law)) {
      const auto a = still(rod->a), b = still(rod->b);
      if (a && b) line(json, constraint.name, "rod", *a, *b);
    }
  for (const Force& force : mechanism.forces)
    if (const auto* spring = std::get_if<PointSpring>(&force.law))
      line(json, force.name, "spring", spring->a, spring->b);
  json.close();
}

/// The plane on which something rolls, as it stands at the start.
void floor_plane(JsonWriter& json, const Scene& scene) {
  for (const Constraint& constraint : scene.mechanism.constraints)
    if (const auto* rolling = std::get_if<Rolling>(&constraint.law)) {
      const double t = scene.run.t_begin, angle = rolling->plane.angle(t);
      const Vec3 normal = SO3<>::exp(Vec3(angle * rolling->plane.axis)) * rolling->plane.normal;
      json.open("floor");
      json.vector("point",
                  Vec3(rolling->plane.point[0](t), rolling->plane.point[1](t), rolling->plane.point[2](t)));
      json.vector("normal", normal);
      json.close();
      return;
    }
}

void gravity(JsonWriter& json, const Scene& scene) {
  Vec3 g = Vec3::Zero();
  for (const Force& force : scene.mechanism.forces)
    if (const auto* uniform = std::get_if<UniformGravity>(&force.law))
      for (int k = 0; k < 3; ++k) g[k] += uniform->g[static_cast<std::size_t>(k)](scene.run.t_begin);
  json.vector("gravity", g);
}

void points(JsonWriter& json, const Scene& scene) {
  json.open_list("points");
  for (const TrackedPoint& point : scene.points) {
    json.open();
    json.text("name", point.name);
    json.integer("body", point.point.body);
    json.vector("p", point.point.p);
    json.close();
  }
  json.close();
}

}  // namespace

void write_drawn_scene(JsonWriter& json, const Scene& scene) {
  bodies(json, scene);
  joints(json, scene.mechanism);
  lines(json, scene.mechanism);
  points(json, scene);
  floor_plane(json, scene);
  gravity(json, scene);
}

}  // namespace torsor
