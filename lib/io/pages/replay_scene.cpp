#include "replay_scene.hpp"

#include <algorithm>
#include <array>

#include "base64.hpp"
#include "body_shapes.hpp"
#include "model/constraints/constraint_kind.hpp"
#include "model/forces/force_kind.hpp"

namespace torsor::io {
namespace {

void shape(JsonWriter& json, const scene::Shape& shape) {
  constexpr std::array kinds{"ellipsoid", "box", "cylinder"};
  json.open();
  json.text("kind", kinds[static_cast<std::size_t>(shape.kind)]);
  json.vector("size", shape.size);
  write_frame(json, shape.X_BS);
  json.close();
}

/// The marks and lines of all constraints and forces.
LawDrawing drawing_of(const Mechanism& mechanism) {
  LawDrawing drawing;
  const auto draw = [&](const auto& kind, const auto& law) { kind.draw(law, mechanism, drawing); };
  for (const Constraint& constraint : mechanism.constraints)
    drawing.name = constraint.name, with_kind(constraint, draw);
  for (const Force& force : mechanism.forces) drawing.name = force.name, with_kind(force, draw);
  return drawing;
}

/// For each body, the points at which joints and constraints act. Thin lines join them to its centre of mass.
std::vector<std::vector<Vec3>> holds(const Mechanism& mechanism, const LawDrawing& drawing) {
  std::vector<std::vector<Vec3>> all(mechanism.bodies.size());
  const auto add = [&](int body, const Vec3& p) {
    if (body != world) all[static_cast<std::size_t>(body)].push_back(p);
  };
  for (const Joint& joint : mechanism.joints) {
    add(joint.parent, joint.X_PF.p);
    add(joint.child, joint.X_CM.p);
  }
  for (const BodyPoint& point : drawing.holds) add(point.body, point.p);
  return all;
}

void bodies(JsonWriter& json, const scene::Scene& scene, const LawDrawing& drawing) {
  const auto all = holds(scene.mechanism, drawing);
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
    for (const scene::Shape& one : body_shapes(scene, i)) shape(json, one);
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

void end_of(JsonWriter& json, const char* key, const MovingPoint& point, const std::vector<double>& times) {
  json.open(key);
  json.integer("body", point.body);
  if (const auto at = still(point)) {
    json.vector("p", at->p);
  } else {
    std::vector<double> path;
    for (const double t : times)
      for (const TimeFunction& component : point.p) path.push_back(component(t));
    json.text("path", base64(path));
  }
  json.close();
}

void lines(JsonWriter& json, const LawDrawing& drawing, const std::vector<double>& times) {
  json.open_list("lines");
  for (const LawDrawing::Line& line : drawing.lines) {
    json.open();
    json.text("name", line.name);
    json.text("kind", line.kind);
    end_of(json, "a", line.a, times);
    end_of(json, "b", line.b, times);
    json.close();
  }
  json.close();
}

/// Writes the plane of the first rolling constraint, in its position at the start.
void floor_plane(JsonWriter& json, const scene::Scene& scene) {
  for (const Constraint& constraint : scene.mechanism.constraints)
    if (const auto* rolling = std::get_if<Rolling>(&constraint.law)) {
      const MovingPlane& plane = rolling->plane;
      const double t = scene.run.t_begin;
      const Vec3 normal =
          SO3<>::exp(Vec3(plane.angle(t) * plane.axis.normalized())) * Vec3(plane.normal.normalized());
      json.open("floor");
      json.vector("point", Vec3(plane.point[0](t), plane.point[1](t), plane.point[2](t)));
      json.vector("normal", normal);
      json.close();
      return;
    }
}

/// The gravity at the start, for its arrow. Gravity that is a function of the state has none.
void gravity(JsonWriter& json, const scene::Scene& scene) {
  Vec3 g = Vec3::Zero();
  for (const Force& force : scene.mechanism.forces) {
    const auto* uniform = std::get_if<UniformGravity>(&force.law);
    if (!uniform || std::any_of(uniform->g.begin(), uniform->g.end(), [](const TimeFunction& component) {
          return component.of_state() != nullptr;
        }))
      continue;
    for (int k = 0; k < 3; ++k) g[k] += uniform->g[static_cast<std::size_t>(k)](scene.run.t_begin);
  }
  json.vector("gravity", g);
}

void points(JsonWriter& json, const scene::Scene& scene) {
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

void write_frame(JsonWriter& json, const SE3<>& X) {
  json.vector("p", X.p);
  std::array<double, 4> xyzw;
  X.R.to(xyzw.data());
  json.vector("q", xyzw);
}

void write_drawn_scene(JsonWriter& json, const scene::Scene& scene, const std::vector<double>& times) {
  const LawDrawing drawing = drawing_of(scene.mechanism);
  bodies(json, scene, drawing);
  write_glyphs(json, scene.mechanism, drawing);
  lines(json, drawing, times);
  points(json, scene);
  floor_plane(json, scene);
  gravity(json, scene);
}

}  // namespace torsor::io
