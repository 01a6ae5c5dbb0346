#pragma once

#include <string>

#include "torsor/lie/types.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// Chain of rods of 1 m and 1 kg (solid cylinders of 0.01 m radius) with spherical joints, along x. The
/// first end is held at the origin. Gravity along -z.
inline Mechanism rod_chain(int rods) {
  const double length = 1, mass = 1, radius = 0.01;
  const double along = mass * radius * radius / 2,
               across = mass * (3 * radius * radius + length * length) / 12;
  Mechanism chain;
  chain.forces.push_back({"gravity", UniformGravity{}});
  for (int i = 0; i < rods; ++i) {
    Body rod;
    rod.name = "rod" + std::to_string(i + 1);
    rod.mass = mass;
    rod.inertia = Vec3(along, across, across).asDiagonal();
    chain.bodies.push_back(rod);
    Joint joint;
    joint.name = "joint" + std::to_string(i + 1);
    joint.kind = JointKind::spherical;
    joint.parent = i - 1;
    joint.child = i;
    if (i > 0) joint.X_PF.p = Vec3(length / 2, 0, 0);
    joint.X_CM.p = Vec3(-length / 2, 0, 0);
    chain.joints.push_back(joint);
  }
  return chain;
}

/// The chain of N rods is straight and turns as a whole about the vertical at 1/N rad/s.
inline State rod_chain_start(const Model& chain) {
  State x{identity_configuration(chain), Vec::Zero(chain.nv()), {}};
  x.v[2] = 1. / chain.size();
  return x;
}

}  // namespace torsor
