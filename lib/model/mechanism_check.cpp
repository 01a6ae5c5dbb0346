#include "mechanism_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <unordered_set>

#include "torsor/geometry/particles.hpp"
#include "torsor/model/rigid_particles.hpp"

namespace torsor {
namespace {

std::string number(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

std::string numbered(int index) { return std::string("#").append(std::to_string(index + 1)); }

std::string label(const char* what, const std::string& name, int index) {
  const std::string shown = name.empty() ? numbered(index) : std::string("\"").append(name).append("\"");
  return std::string(what).append(" ").append(shown);
}

/// Whether all three leading minors are positive. A must have entries of order 1, or the minors
/// could underflow.
bool positive_definite(const Mat3& A) {
  return A(0, 0) > 0 && A(0, 0) * A(1, 1) - A(0, 1) * A(0, 1) > 0 && A.determinant() > 0;
}

/// Why J is not the inertia of any distribution of mass; empty if it is. The mass moments of a body,
/// S = (tr J / 2) I - J, are positive semidefinite. This is equivalent to the triangle inequality of the
/// principal moments. The bounds on single products follow from this inequality, but are checked first
/// because their messages name the entry to correct.
std::string why_inertia_impossible(const Mat3& J) {
  constexpr double tolerance = 1e-9, singular = 1e-14;  // relative to the trace
  constexpr std::array axis{'x', 'y', 'z'};
  if (!J.allFinite()) return "inertia has an entry that is not a finite number";
  const double trace = J.trace();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j)
      if (std::abs(J(i, j) - J(j, i)) > tolerance * std::abs(trace))
        return std::string("inertia is not symmetric: J") + axis[j] + axis[i] + " = " + number(J(j, i)) +
               ", J" + axis[i] + axis[j] + " = " + number(J(i, j));
  if (!(trace > 0) || !positive_definite(J / trace - singular * Mat3::Identity())) {
    const double least = geometry::principal_inertia(J).moments[0];
    return least > 0 ? "inertia is singular to rounding: its least principal moment is " + number(least) +
                           ", its trace is " + number(trace)
                     : "inertia is not positive definite: its least principal moment is " + number(least);
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (std::abs(J(j, k)) > J(i, i) / 2 + tolerance * trace)
      return std::string("inertia violates the bound on products: |J") + std::min(axis[j], axis[k]) +
             std::max(axis[j], axis[k]) + "| = " + number(std::abs(J(j, k))) + " > J" + axis[i] + axis[i] +
             " / 2 = " + number(J(i, i) / 2);
  }
  if (!positive_definite((0.5 + tolerance) * Mat3::Identity() - J / trace)) {
    const Vec3 moment = geometry::principal_inertia(J).moments;
    return "inertia violates the triangle inequality: " + number(moment[0]) + " + " + number(moment[1]) +
           " < " + number(moment[2]);
  }
  return {};
}

/// Why a body is not the rigid system of its nodes; empty if it is. Nodes on a line do not determine the
/// inertia about this line.
std::string why_not_its_nodes(const Body& body) {
  constexpr double tolerance = 1e-6;  // relative
  if (body.particle) return "a particle has no nodes";
  for (const ParticleNode& node : body.nodes)
    if (!(node.mass > 0 && std::isfinite(node.mass)) || !node.p.allFinite())
      return "node \"" + node.name + "\" must have a positive and finite mass and a finite position";
  const auto masses = node_masses(body);
  const auto places = node_places(body);
  if (!(std::abs(masses.sum() - body.mass) <= tolerance * body.mass))
    return "its mass must be that of its nodes, " + number(masses.sum()) + ", got " + number(body.mass);
  Eigen::Index farthest = 0;
  const double size = places.colwise().norm().maxCoeff(&farthest);
  if (!((places * masses).norm() <= tolerance * body.mass * size))
    return "the positions of its nodes must be given from their mass centre";
  const Vec3 d = places.col(farthest) / size;
  Mat3 rest = body.inertia - geometry::inertia_of_points(masses, places);
  if ((places - d * (d.transpose() * places)).norm() <= tolerance * size)
    rest -= d.dot(rest * d) * d * d.transpose();
  if (!(rest.norm() <= tolerance * body.inertia.norm()))
    return "its inertia is not that of its nodes; rigid_particles gives it";
  return {};
}

/// Why X is not a rigid displacement; empty if it is. The quaternion may have rounding errors, since it is
/// normalised later.
std::string why_not_rigid(const SE3<>& X) {
  if (!X.p.allFinite()) return "has a position that is not finite";
  const double norm =
      std::sqrt(X.R.w() * X.R.w() + X.R.x() * X.R.x() + X.R.y() * X.R.y() + X.R.z() * X.R.z());
  if (!(std::abs(norm - 1) <= 1e-6)) return "is not rigid: |quaternion| = " + number(norm);
  return {};
}

/// Why a particle cannot have this joint; empty if it can, or if the joint has no particle.
std::string why_no_particle_joint(const Mechanism& mechanism, const Joint& joint) {
  for (const int end : {joint.parent, joint.child}) {
    const int other = end == joint.parent ? joint.child : joint.parent;
    if (end == world || !mechanism.bodies[end].particle) continue;
    if (joint.kind != JointKind::translation || other != world)
      return "particle \"" + mechanism.bodies[end].name +
             "\" has no attitude; only a translation joint to the ground can hold it";
  }
  return {};
}

template <class Item>
void check_names(const std::vector<Item>& items, Part::Kind kind, Reasons& reasons) {
  std::unordered_set<std::string> names;
  for (int i = 0; i < static_cast<int>(items.size()); ++i)
    if (!items[i].name.empty() && !names.insert(items[i].name).second)
      reasons.push_back({{kind, i}, {}, label(items[i], i) + ": the name is taken twice"});
}

}  // namespace

std::string label(const Body& body, int index) { return label("body", body.name, index); }
std::string label(const Joint& joint, int index) { return label("joint", joint.name, index); }
std::string short_label(const Joint& joint, int index) {
  return joint.name.empty() ? numbered(index) : joint.name;
}

void check_bodies(const Mechanism& mechanism, Reasons& reasons) {
  check_names(mechanism.bodies, Part::Kind::body, reasons);
  for (int i = 0; i < static_cast<int>(mechanism.bodies.size()); ++i) {
    const Body& body = mechanism.bodies[i];
    const auto refuse = [&](Reason::Field field, const std::string& why) {
      reasons.push_back({body_part(i), field, label(body, i) + ": " + why});
    };
    if (!(body.mass > 0 && std::isfinite(body.mass)))
      refuse(Reason::Field::mass, "mass must be positive and finite, got " + number(body.mass));
    if (!body.nodes.empty())
      if (const auto why = why_not_its_nodes(body); !why.empty()) refuse(Reason::Field::whole, why);
    if (body.particle) continue;
    if (const auto why = why_inertia_impossible(body.inertia); !why.empty())
      refuse(Reason::Field::inertia, why);
  }
}

void check_joints(const Mechanism& mechanism, Reasons& reasons) {
  check_names(mechanism.joints, Part::Kind::joint, reasons);
  const int n = static_cast<int>(mechanism.bodies.size());
  for (int i = 0; i < static_cast<int>(mechanism.joints.size()); ++i) {
    const Joint& joint = mechanism.joints[i];
    const auto refuse = [&](const std::string& why) {
      reasons.push_back({joint_part(i), {}, label(joint, i) + ": " + why});
    };
    const auto known = [n](int end) { return end >= world && end < n; };
    if (!known(joint.parent))
      refuse("its parent is the body with index " + std::to_string(joint.parent) + ", which does not exist");
    if (!known(joint.child))
      refuse("its child is the body with index " + std::to_string(joint.child) + ", which does not exist");
    if (!known(joint.parent) || !known(joint.child)) continue;
    if (joint.parent == joint.child)
      refuse(joint.parent == world
                 ? "both its ends are on the ground"
                 : "both its ends are on " + label(mechanism.bodies[joint.parent], joint.parent));
    if (const auto why = why_not_rigid(joint.X_PF); !why.empty()) refuse("its frame on the parent " + why);
    if (const auto why = why_not_rigid(joint.X_CM); !why.empty()) refuse("its frame on the child " + why);
    if (!std::isfinite(joint.pitch)) refuse("pitch must be finite, got " + number(joint.pitch));
    for (const double angle : joint.angles_near)
      if (!std::isfinite(angle)) refuse("angles_near must be finite, got " + number(angle));
    if (const auto why = why_no_particle_joint(mechanism, joint); !why.empty()) refuse(why);
  }
}

}  // namespace torsor
