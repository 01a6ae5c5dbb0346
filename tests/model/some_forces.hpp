#pragma once

#include <cmath>

#include "random_tree.hpp"
#include "torsor/model/forces.hpp"

namespace torsor::test {

/// base + size sin(t), with its derivatives.
inline TimeFunction wave(double base, double size) {
  return {[=](double t) {
            return TimeFunction::Value{base + size * std::sin(t), size * std::cos(t), -size * std::sin(t)};
          },
          "wave"};
}

inline TimeVec3 wave3(Random& random) {
  return {wave(random.real(), random.real()), wave(random.real(), random.real()),
          wave(random.real(), random.real())};
}

inline Mat3 matrix(Random& random) {
  Mat3 K;
  for (double& entry : K.reshaped()) entry = random.real();
  return K;
}

/// The first joint of the given kind; the mechanism must have one.
inline int joint_of_kind(const Mechanism& tree, JointKind kind) {
  int joint = 0;
  while (tree.joints[joint].kind != kind) ++joint;
  return joint;
}

constexpr double pull_stiffness = 3, pull_damping = 0.4;  // N/m, N s/m

/// An element between two mass centres, where d is the vector from the first to the second. It stores the
/// energy V = k |d|^2 / 2 and dissipates the power c |d'|^2.
inline ForceElement pull_together(int first, int second) {
  ForceElement element;
  element.bodies = {first, second};
  element.function = [](const ForceElement::Input& in, std::vector<Wrench>& wrenches) {
    const Vec3 pull = pull_stiffness * (in.bodies[1].X_WB.p - in.bodies[0].X_WB.p) +
                      pull_damping * (in.bodies[1].v_W - in.bodies[0].v_W);
    wrenches[0].force += pull, wrenches[1].force -= pull;
  };
  element.energy = [](const ForceElement::Input& in) {
    return ForceElement::Energy{
        pull_stiffness * (in.bodies[1].X_WB.p - in.bodies[0].X_WB.p).squaredNorm() / 2,
        -pull_damping * (in.bodies[1].v_W - in.bodies[0].v_W).squaredNorm()};
  };
  return element;
}

/// Every kind of force on a random tree. Many parameters depend on time.
inline std::vector<Force> changing_forces(Random& random, const Mechanism& tree) {
  const auto body = [&] { return random.below(static_cast<int>(tree.bodies.size())); };
  const auto joint = [&](JointKind kind) { return joint_of_kind(tree, kind); };
  const int first = body(), second = (first + 1) % static_cast<int>(tree.bodies.size());
  const auto push = [](double, const std::vector<BodyKinematics>& bodies, std::vector<Wrench>& wrenches) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      wrenches[i].force = -0.3 * bodies[i].v_W;
      wrenches[i].torque = bodies[i].X_WB.R * Vec3(0.1, 0.2, 0.3);
    }
  };
  return {
      {"gravity", UniformGravity{wave3(random)}},
      {"central", CentralGravity{wave(3, 1), Vec3(4, -7, 2), true}},
      {"spring",
       PointSpring{
           {first, random.vector()}, {second, random.vector()}, wave(5, 2), wave(1, 0.5), wave(0.7, 0.2)}},
      {"tether", PointSpring{{world, random.vector()}, {body(), random.vector()}, 4., 0.3, 0.5}},
      {"revolute",
       JointForce{joint(JointKind::revolute), 0, wave(2, 1), wave(0.1, 1), wave(0.3, 0.1), wave(0, 1)}},
      {"helical", JointForce{joint(JointKind::helical), 0, 3., 0.4, 0.2, 0.}},
      {"universal", JointForce{joint(JointKind::universal), 1, 3., 0.2, 0.1, 0.5}},
      {"planar", JointForce{joint(JointKind::planar), 1, 3., 0.2, 0.1, 0.}},
      {"spherical", JointForce{joint(JointKind::spherical), 2, 0., 0., 0.3, wave(1, 1)}},
      {"free", JointForce{joint(JointKind::free), 1, 0., 0., 0.3, 0.7}},
      {"body", BodyForce{{body(), random.vector()}, wave3(random), wave3(random), true}},
      {"world", BodyForce{{body(), random.vector()}, wave3(random), wave3(random), false}},
      {"field",
       LinearField{body(), matrix(random), matrix(random), wave3(random), wave3(random), wave(1, 1)}},
      {"field off the centre", LinearField{body(), matrix(random), matrix(random), wave3(random),
                                           wave3(random), wave(1, 1), random.vector()}},
      {"user", UserForce{"", push}},
      {"element", pull_together(first, second)},
  };
}

/// Forces that conserve the energy: no damping, no load, symmetric K, antisymmetric C. The charge may depend
/// on time, since magnetic forces do no work.
inline std::vector<Force> conservative_forces(Random& random, const Mechanism& tree) {
  const Mat3 K = matrix(random);
  return {
      {"gravity", UniformGravity{}},
      {"central", CentralGravity{3., Vec3(4, -7, 2), true}},
      {"spring", PointSpring{{0, random.vector()}, {1, random.vector()}, 5., 0., 0.7}},
      {"revolute", JointForce{joint_of_kind(tree, JointKind::revolute), 0, 2., 0.1, 0., 0.}},
      {"field",
       LinearField{2, K + K.transpose(), K - K.transpose(), {1., 2., 3.}, {0.3, 0.2, -1.}, wave(1, 1)}},
      {"field off the centre",
       LinearField{1, K + K.transpose(), K - K.transpose(), {1., 2., 3.}, {0.3, 0.2, -1.}, 2., {1, 0, 2}}},
  };
}

}  // namespace torsor::test
