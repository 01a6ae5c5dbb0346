#include "force_laws.hpp"
#include "torsor/model/joint_kind.hpp"

// A spring, damper and drive in one coordinate of a joint.

namespace torsor {

/// dV/dt of V = k (y - y0)^2 / 2 at fixed y.
double explicit_power(const TimeFunction& stiffness, const TimeFunction& rest, double y, double t) {
  if (stiffness.is_constant() && rest.is_constant()) return 0;
  const auto k = stiffness.with_derivatives(t), y0 = rest.with_derivatives(t);
  const double stretch = y - y0.value;
  return k.rate * stretch * stretch / 2 - k.value * stretch * y0.rate;
}

void check(const JointForce& law, ForceCheck& at) {
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
                     (freedoms == 1 ? " freedom" : " freedoms") + ", no coordinate " +
                     std::to_string(law.coordinate));
  at.require(!joint_type(joint.kind).quaternion || is_zero(law.stiffness),
             "joint \"" + joint.name + "\" has no independent coordinates: a stiffness has no meaning in it");
}

// A spherical or free joint has no independent coordinates and no stiffness, so its `joint_q` is not read.

double generalised_force(const JointForce& law, const ForceInstant& now) {
  const double tau = law.force(now.t) - law.damping(now.t) * now.joint_v[law.coordinate];
  if (is_zero(law.stiffness)) return tau;
  return tau - law.stiffness(now.t) * (now.joint_q[law.coordinate] - law.rest(now.t));
}

double potential(const JointForce& law, const ForceInstant& now) {
  if (is_zero(law.stiffness)) return 0;
  const double stretch = now.joint_q[law.coordinate] - law.rest(now.t);
  return law.stiffness(now.t) * stretch * stretch / 2;
}

double power(const JointForce& law, const ForceInstant& now) {
  const double rate = now.joint_v[law.coordinate];
  const double supplied = (law.force(now.t) - law.damping(now.t) * rate) * rate;
  if (is_zero(law.stiffness)) return supplied;
  return supplied + explicit_power(law.stiffness, law.rest, now.joint_q[law.coordinate], now.t);
}

bool conserves_energy(const JointForce& law) {
  const bool passive = is_zero(law.force) && is_zero(law.damping);
  return passive && law.stiffness.is_constant() && (law.rest.is_constant() || is_zero(law.stiffness));
}

bool depends_on_velocity(const JointForce& law) { return !is_zero(law.damping); }

}  // namespace torsor
