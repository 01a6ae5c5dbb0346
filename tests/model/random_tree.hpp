#pragma once

#include <array>
#include <random>
#include <string>

#include "torsor/lie/types.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/model/model.hpp"

namespace torsor::test {

inline constexpr std::array all_kinds{JointKind::fixed,      JointKind::revolute,    JointKind::prismatic,
                                      JointKind::helical,    JointKind::cylindrical, JointKind::universal,
                                      JointKind::planar,     JointKind::spherical,   JointKind::free,
                                      JointKind::translation};

/// Random numbers with a seed that the test gives.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double real(double from = -1, double to = 1) { return std::uniform_real_distribution<>(from, to)(engine_); }
  int below(int n) { return std::uniform_int_distribution<>(0, n - 1)(engine_); }
  Vec3 vector(double size = 1) {
    const double x = real(), y = real(), z = real();
    return size * Vec3(x, y, z);
  }
  Vec flat(int n) {
    Vec out(n);
    for (double& x : out) x = real();
    return out;
  }
  SE3<> frame() {
    const Vec3 turn = vector(2), at = vector(0.5);
    return {SO3<>::exp(turn), at};
  }
  /// The inertia of a few point masses, which is always physical.
  Mat3 inertia() {
    Mat3 J = Mat3::Zero();
    for (int i = 0; i < 5; ++i) {
      const Vec3 r = vector(0.4);
      J += 0.3 * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    return J;
  }

 private:
  std::mt19937 engine_;
};

inline Body random_body(Random& random, int index) {
  Body body;
  body.name = "body" + std::to_string(index);
  body.mass = random.real(0.5, 2);
  body.inertia = random.inertia();
  body.group = random.below(2) ? GroupProduct::direct : GroupProduct::semidirect;
  return body;
}

/// A tree with joints of all kinds (from 18 bodies on) between random bodies and in random directions. Some
/// bodies are loose.
inline Mechanism random_tree(Random& random, int bodies) {
  Mechanism tree;
  for (int i = 0; i < bodies; ++i) {
    tree.bodies.push_back(random_body(random, i));
    if (i > 2 && i % 7 == 0) continue;  // loose, which implies a free joint
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = all_kinds[i % all_kinds.size()];
    joint.parent = random.below(4) ? random.below(i + 1) - 1 : i - 1;
    joint.child = i;
    if (random.below(2)) std::swap(joint.parent, joint.child);
    joint.X_PF = random.frame();
    joint.X_CM = random.frame();
    joint.pitch = random.real(-0.3, 0.3);
    tree.joints.push_back(joint);
  }
  return tree;
}

inline State random_state(Random& random, const Model& model) {
  State x{Vec(model.nq()), random.flat(model.nv()), {}};
  const Vec xi = random.flat(model.nv());
  retract(model, identity_configuration(model).data(), xi.data(), x.q.data());
  return x;
}

}  // namespace torsor::test
