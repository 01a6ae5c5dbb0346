#include <algorithm>
#include <array>
#include <optional>

#include "body_shapes.hpp"
#include "replay_scene.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor {
namespace {

/// Whether a coordinate of a joint is a displacement.
bool slides(JointKind kind, int coordinate) {
  return joint_type(kind).rates[static_cast<std::size_t>(coordinate)].unit == "m/s";
}

class Glyphs {
 public:
  Glyphs(JsonWriter& json, const Mechanism& mechanism) : json_(json), mechanism_(mechanism) {
    json_.open_list("joints");
    for (const Joint& one : mechanism_.joints) {
      begin(one.name, joint_type(one.kind).name, one.child, one.X_CM);
      end(one.parent, one.X_PF);
    }
    for (const Constraint& one : mechanism_.constraints) {
      name_ = one.name;
      std::visit([&](const auto& law) { draw(law); }, one.law);
    }
    json_.close();
  }

 private:
  void begin(const std::string& name, std::string_view kind, int body, const SE3<>& X) {
    json_.open();
    json_.text("name", name);
    json_.text("kind", kind);
    json_.integer("child", body);
    write_frame(json_, X);
  }
  /// Ends a joint. If its parent is the ground, also writes the frame on the ground, which does not move.
  void end(int parent, const SE3<>& X_PF) {
    if (parent == world) {
      json_.open("ground");
      write_frame(json_, X_PF);
      json_.close();
    }
    json_.close();
  }
  void put(const char* kind, int body, const SE3<>& X) {
    begin(name_, kind, body, X);
    json_.close();
  }
  void put(const char* kind, const MovingPoint& point, const Vec3& z = Vec3::UnitZ()) {
    if (const auto at = still(point)) put(kind, at->body, {frame_along(z), at->p});
  }

  void draw(const Distance&) {}  // drawn as a line (replay_scene.cpp)
  void draw(const PointOnLine& law) {
    put("rail", law.origin, law.direction);
    put("point", law.point);
  }
  void draw(const PointOnPlane& law) {
    if (law.distance.is_constant())
      if (auto at = still(law.origin)) {
        at->p += law.distance(0) * law.normal;
        put("plane", at->body, {frame_along(law.normal), at->p});
      }
    put("point", law.point);
  }
  void draw(const PointDriver& law) { put("point", law.point); }
  void draw(const ConstantAngle& law) {
    put("direction", law.body_a, {frame_along(law.u_a), Vec3::Zero()});
    put("direction", law.body_b, {frame_along(law.u_b), Vec3::Zero()});
  }
  void draw(const ConstantVelocityJoint& law) {
    begin(name_, "constant-velocity", law.child, law.X_CM);
    end(law.parent, law.X_PF);
  }
  void draw(const JointCoupling& law) {
    const bool driven = law.terms.size() == 1;
    for (const JointCoupling::Term& term : law.terms) put_coupled(term.joint, term.coordinate, driven);
  }
  void draw(const VelocityLaw& law) {
    using Quantity = VelocityLaw::Term::Quantity;
    for (const VelocityLaw::Term& term : law.terms)
      if (term.quantity == Quantity::joint_rate)
        put_coupled(term.joint, term.coordinate, law.terms.size() == 1);
      else if (!term.body_axes)
        put("point", term.point.body, {SO3<>::identity(), term.point.p});
      else if (term.quantity == Quantity::point_velocity)
        put("blade", term.point.body, {frame_along(term.c.normalized()), term.point.p});
      else
        put("turn", term.point.body, {frame_along(term.c.normalized()), Vec3::Zero()});
  }
  void draw(const Rolling&) {}  // drawn as the surface of the body and the floor
  void draw(const UserConstraint& law) {
    for (const int body : law.bodies) put("point", body, SE3<>::identity());
  }

  void put_coupled(int joint, int coordinate, bool driven) {
    const Joint& one = mechanism_.joints[static_cast<std::size_t>(joint)];
    const bool slide = slides(one.kind, coordinate);
    put(driven ? slide ? "actuator" : "motor" : slide ? "rack" : "gear", one.child, one.X_CM);
  }

  JsonWriter& json_;
  const Mechanism& mechanism_;
  std::string name_;
};

}  // namespace

void write_glyphs(JsonWriter& json, const Mechanism& mechanism) { Glyphs(json, mechanism); }

}  // namespace torsor
