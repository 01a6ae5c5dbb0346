#include "force_kind.hpp"

// A force and a torque on a body at a point.

namespace torsor {
namespace {

/// A wrench at the mass centre of a link, world axes.
struct LinkWrench {
  int link;
  Vec3 force, torque;
};

LinkWrench load(const BodyForce& law, const ForceInstant& now) {
  const int link = now.model.link_of_body[law.point.body];
  const Mat3& R = now.work.R_WB[link];
  Vec3 force = value(law.force, now), torque = value(law.torque, now);
  if (law.body_axes) force = R * force, torque = R * torque;
  const Vec3 arm = R * law.point.p;
  return {link, force, torque + arm.cross(force)};
}

class BodyForceKind final : public ForceKind<BodyForce> {
 public:
  bool reads(std::string_view kind) const override { return kind == "body-force"; }
  BodyForce read(const LawTable& table) const override {
    return {table.point(), table.time_vec3("force"), table.time_vec3("torque"), table.text("axes") == "body"};
  }

  void check(const BodyForce& law, ForceCheck& at) const override {
    at.check_point(law.point);
    at.require(law.point.body != world, "a force on the ground moves nothing");
    at.require(finite(law.force), "the force is not finite");
    at.require(finite(law.torque), "the torque is not finite");
    if (law.point.node >= 0)
      at.require(is_zero(law.torque), "a torque on a node has no effect, since nodes do not turn");
    if (!at.is_particle(law.point.body)) return;
    at.require(is_zero(law.torque), "a torque acts on the particle \"" +
                                        at.mechanism().bodies[law.point.body].name +
                                        "\", which does not turn");
  }

  void add_loads(const BodyForce& law, const ForceInstant& now, Loads<double>& loads) const override {
    const LinkWrench wrench = load(law, now);
    loads.force[wrench.link] += wrench.force;
    loads.torque[wrench.link] += wrench.torque;
  }

  double power(const BodyForce& law, const ForceInstant& now) const override {
    const LinkWrench wrench = load(law, now);
    return wrench.force.dot(now.work.v_WB[wrench.link]) + wrench.torque.dot(now.work.w_WB[wrench.link]);
  }

  bool conserves_energy(const BodyForce& law) const override {
    return is_zero(law.force) && is_zero(law.torque);
  }
  bool depends_on_velocity(const BodyForce&) const override { return false; }
  std::vector<const TimeFunction*> functions(const BodyForce& law) const override {
    return {&law.force[0], &law.force[1], &law.force[2], &law.torque[0], &law.torque[1], &law.torque[2]};
  }
  std::vector<int> loaded_bodies(const BodyForce& law, const Mechanism&) const override {
    return {law.point.body};
  }
  std::vector<BodyPoint> loaded_points(const BodyForce& law) const override { return {law.point}; }
};

}  // namespace

const ForceKind<BodyForce>& BodyForce::kind() {
  static constexpr BodyForceKind kind;
  return kind;
}

}  // namespace torsor
