#include <array>

#include "force_kind.hpp"
#include "model/declared_joint.hpp"
#include "torsor/model/joint_kind.hpp"

// A spring, damper and drive in one coordinate of a joint.

namespace torsor {
namespace {

constexpr int most_freedoms = 6;

DeclaredMotion motion_of(const JointForce& law, const ForceInstant& now) {
  return declared_motion(now.model, law.joint, now.q, now.v, now.work);
}

/// Whether a rate of a joint is an angular rate.
bool turns(JointKind kind, int coordinate) {
  const auto rates = joint_type(kind).rates;
  return coordinate < static_cast<int>(rates.size()) &&
         rates[static_cast<std::size_t>(coordinate)].unit == "rad/s";
}

/// f - k (q - q0) - c q'. Without stiffness q is not read: spherical and free joints have no independent
/// coordinates.
double generalised_force(const JointForce& law, const DeclaredMotion& at, const ForceInstant& now) {
  const double tau = value(law.force, now) - value(law.damping, now) * at.v[law.coordinate];
  if (is_zero(law.stiffness)) return tau;
  return tau - value(law.stiffness, now) * (at.q[law.coordinate] - value(law.rest, now));
}

/// Adds the force of a joint outside the tree as wrenches on its two bodies.
void add_outside_tree(const JointForce& law, const ForceInstant& now, const double* q, const double* tau,
                      Loads<double>& loads) {
  const Joint& joint = now.model.mechanism().joints[law.joint];
  const JointPlace place = joint_place(now.model, law.joint, now.work);
  const Vector<double, 6> wrench = joint_force_wrench(now.model, law.joint, q, tau, place);
  const Vec3 force = wrench.head<3>(), torque = wrench.tail<3>();
  const auto act = [&](int body, double sign) {
    if (body == world) return;
    const int link = now.model.link_of_body[body];
    loads.force[link] += sign * force;
    loads.torque[link] += sign * (torque + (place.p_WM - now.work.p_WB[link]).cross(force));
  };
  act(joint.child, 1), act(joint.parent, -1);
}

class JointForceKind final : public ForceKind<JointForce> {
 public:
  bool reads(std::string_view kind) const override { return kind == "joint-force"; }
  JointForce read(const LawTable& table) const override {
    JointForce law;
    const std::optional<int> joint = table.joint("joint");
    law.joint = joint.value_or(0);
    law.coordinate = static_cast<int>(table.integer("coordinate"));
    const bool angle = joint && turns(table.joint_kind(*joint), law.coordinate);
    law.stiffness = table.time_function("stiffness", angle ? "N*m/rad" : "N/m");
    law.rest = table.time_function("rest", angle ? "rad" : "m");
    law.damping = table.time_function("damping", angle ? "N*m*s/rad" : "N*s/m");
    law.force = table.time_function("force", angle ? "N*m" : "N");
    return law;
  }

  void check(const JointForce& law, ForceCheck& at) const override {
    at.require(finite(law.stiffness), "the stiffness is not finite");
    at.require(finite(law.rest), "the rest coordinate is not finite");
    at.require(finite(law.damping), "the damping is not finite");
    at.require(finite(law.force), "the joint force is not finite");
    if (law.joint < 0 || law.joint >= static_cast<int>(at.mechanism().joints.size()))
      return at.reject("no joint with index " + std::to_string(law.joint));
    const Joint& joint = at.mechanism().joints[law.joint];
    const int freedoms = freedom_count(joint.kind);
    if (law.coordinate < 0 || law.coordinate >= freedoms)
      return at.reject("joint \"" + joint.name + "\" has " + std::to_string(freedoms) +
                       (freedoms == 1 ? " degree of freedom" : " degrees of freedom") + ", no coordinate " +
                       std::to_string(law.coordinate));
    at.require(!joint_type(joint.kind).quaternion || is_zero(law.stiffness),
               "joint \"" + joint.name + "\" has no independent coordinates, so it cannot have a stiffness");
  }

  void add_loads(const JointForce& law, const ForceInstant& now, Loads<double>& loads) const override {
    const Model& model = now.model;
    const DeclaredMotion motion = motion_of(law, now);
    std::array<double, most_freedoms> tau_declared{}, tau{};
    tau_declared[law.coordinate] = generalised_force(law, motion, now);
    const int link = model.link_of_joint[law.joint];
    if (link < 0) return add_outside_tree(law, now, motion.q.data(), tau_declared.data(), loads);
    const int begin = model.v_begin[link];
    tree_force_from_declared(model, link, now.q.data() + model.q_begin[link], tau_declared.data(),
                             tau.data());
    for (int k = 0; k < freedom_count(model.kind[link]); ++k) loads.tau[begin + k] += tau[k];
  }

  double potential(const JointForce& law, const ForceInstant& now) const override {
    if (is_zero(law.stiffness)) return 0;
    const double stretch = motion_of(law, now).q[law.coordinate] - law.rest(now.t);
    return law.stiffness(now.t) * stretch * stretch / 2;
  }

  double power(const JointForce& law, const ForceInstant& now) const override {
    const DeclaredMotion motion = motion_of(law, now);
    const double rate = motion.v[law.coordinate];
    const double supplied = (law.force(now.t) - law.damping(now.t) * rate) * rate;
    if (is_zero(law.stiffness)) return supplied;
    return supplied + explicit_power(law.stiffness, law.rest, motion.q[law.coordinate], now.t);
  }

  bool conserves_energy(const JointForce& law) const override {
    const bool passive = is_zero(law.force) && is_zero(law.damping);
    return passive && law.stiffness.is_constant() && (law.rest.is_constant() || is_zero(law.stiffness));
  }
  bool depends_on_velocity(const JointForce& law) const override { return !is_zero(law.damping); }
  std::vector<const TimeFunction*> functions(const JointForce& law) const override {
    return {&law.stiffness, &law.rest, &law.damping, &law.force};
  }
  std::vector<int> loaded_bodies(const JointForce& law, const Mechanism& mechanism) const override {
    return {mechanism.joints[law.joint].parent, mechanism.joints[law.joint].child};
  }

  std::string_view scalar_unit(const JointForce& law, const Mechanism& mechanism) const override {
    return turns(mechanism.joints[law.joint].kind, law.coordinate) ? "N m" : "N";
  }
  double scalar(const JointForce& law, const ForceInstant& now) const override {
    return generalised_force(law, motion_of(law, now), now);
  }
};

}  // namespace

Wrench wrench_on_child(const JointForce& law, const ForceInstant& now) {
  const DeclaredMotion motion = motion_of(law, now);
  std::array<double, most_freedoms> tau{};
  tau[law.coordinate] = generalised_force(law, motion, now);
  const JointPlace place = joint_place(now.model, law.joint, now.work);
  const Vector<double, 6> wrench =
      joint_force_wrench(now.model, law.joint, motion.q.data(), tau.data(), place);
  return {wrench.head<3>(), wrench.tail<3>()};
}

const ForceKind<JointForce>& JointForce::kind() {
  static constexpr JointForceKind kind;
  return kind;
}

}  // namespace torsor
