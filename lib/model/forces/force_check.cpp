#include <cmath>

#include "model/constraints/time_values.hpp"
#include "torsor/model/forces.hpp"
#include "torsor/model/joint_kind.hpp"
#include "torsor/model/rigid_particles.hpp"

namespace torsor {
namespace {

/// Collects the errors in one force.
class ForceCheck {
 public:
  ForceCheck(const Mechanism& mechanism, int index, Reasons& reasons)
      : mechanism_(mechanism), index_(index), reasons_(reasons) {}

  void operator()(const UniformGravity& law) { require(finite(law.g), "g is not finite"); }

  void operator()(const CentralGravity& law) {
    require(finite(law.mu), "mu is not finite");
    require(law.centre.allFinite(), "the centre is not finite");
    for (const Body& body : mechanism_.bodies)
      require(!law.gradient || !is_line(body),
              "the gradient of gravity needs the inertia of a body, but the nodes of \"" + body.name +
                  "\" lie in one line");
  }

  void operator()(const PointSpring& law) {
    point(law.a);
    point(law.b);
    require(finite(law.stiffness), "the stiffness is not finite");
    require(finite(law.damping), "the damping is not finite");
    require(finite(law.rest_length), "the rest length is not finite");
    require(!(law.rest_length.is_constant() && law.rest_length(0) < 0), "the rest length is negative");
    require(law.a.body != law.b.body,
            law.a.body == world ? "both ends are on the ground" : "both ends are on one body");
  }

  void operator()(const JointForce& law) {
    require(finite(law.stiffness), "the stiffness is not finite");
    require(finite(law.rest), "the rest coordinate is not finite");
    require(finite(law.damping), "the damping is not finite");
    require(finite(law.force), "the joint force is not finite");
    if (law.joint < 0 || law.joint >= static_cast<int>(mechanism_.joints.size()))
      return reject("no joint with index " + std::to_string(law.joint));
    const Joint& joint = mechanism_.joints[law.joint];
    const int freedoms = freedom_count(joint.kind);
    if (law.coordinate < 0 || law.coordinate >= freedoms)
      return reject("joint \"" + joint.name + "\" has " + std::to_string(freedoms) +
                    (freedoms == 1 ? " freedom" : " freedoms") + ", no coordinate " +
                    std::to_string(law.coordinate));
    require(!joint_type(joint.kind).quaternion || is_zero(law.stiffness),
            "joint \"" + joint.name + "\" has no independent coordinates: a stiffness has no meaning in it");
  }

  void operator()(const BodyForce& law) {
    point(law.point);
    require(law.point.body != world, "a force on the ground moves nothing");
    require(finite(law.force), "the force is not finite");
    require(finite(law.torque), "the torque is not finite");
    if (law.point.node >= 0)
      require(is_zero(law.torque), "a torque on a node has no effect, since nodes do not turn");
    if (!is_particle(law.point.body)) return;
    require(is_zero(law.torque), "a torque acts on the particle \"" + mechanism_.bodies[law.point.body].name +
                                     "\", which does not turn");
  }

  void operator()(const LinearField& law) {
    require(law.body != world, "a field on the ground moves nothing");
    point({law.body, law.p, law.node});
    require(law.K.allFinite(), "K is not finite");
    require(law.C.allFinite(), "C is not finite");
    require(finite(law.x0), "x0 is not finite");
    require(finite(law.B), "B is not finite");
    require(finite(law.charge), "the charge is not finite");
  }

  void operator()(const UserForce& law) { require(bool(law.function), "no function is given"); }

 private:
  void reject(const std::string& reason) {
    reasons_.push_back(
        {force_part(index_), {}, "force \"" + mechanism_.forces[index_].name + "\": " + reason});
  }

  void require(bool condition, const std::string& reason) {
    if (!condition) reject(reason);
  }

  void body(int index) {
    require(index == world || (index >= 0 && index < static_cast<int>(mechanism_.bodies.size())),
            "no body with index " + std::to_string(index));
  }

  void point(const BodyPoint& point) {
    body(point.body);
    require(point.p.allFinite(), "a point is not finite");
    if (point.node >= 0) node(point);
    if (is_particle(point.body))
      require(point.p.isZero(0), "the point on the particle \"" + mechanism_.bodies[point.body].name +
                                     "\" is not the particle itself");
  }

  void node(const BodyPoint& point) {
    if (point.body < 0 || point.body >= static_cast<int>(mechanism_.bodies.size())) return;
    const auto& nodes = mechanism_.bodies[point.body].nodes;
    if (point.node >= static_cast<int>(nodes.size()))
      return reject("no node with index " + std::to_string(point.node));
    require(point.p == nodes[point.node].p,
            "the point on the node \"" + nodes[point.node].name + "\" is not the node itself");
  }

  bool is_particle(int index) const {
    return index >= 0 && index < static_cast<int>(mechanism_.bodies.size()) &&
           mechanism_.bodies[index].particle;
  }

  const Mechanism& mechanism_;
  int index_;
  Reasons& reasons_;
};

}  // namespace

Reasons why_forces_invalid(const Mechanism& mechanism) {
  Reasons reasons;
  for (int i = 0; i < static_cast<int>(mechanism.forces.size()); ++i)
    std::visit(ForceCheck(mechanism, i, reasons), mechanism.forces[i].law);
  return reasons;
}

}  // namespace torsor
