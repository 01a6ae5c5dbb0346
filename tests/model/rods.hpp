#pragma once

#include "torsor/model/mechanism.hpp"

namespace torsor::test {

/// Bodies of 1 kg in a chain along x, 1 m from joint to joint, with joints of one kind; the first joint is at
/// the origin.
inline Mechanism chain(JointKind kind, int rods) {
  Mechanism chain;
  for (int i = 0; i < rods; ++i) {
    chain.bodies.push_back({"rod" + std::to_string(i), 1, Vec3(0.02, 1.01, 1.01).asDiagonal()});
    chain.joints.push_back({"joint" + std::to_string(i),
                            kind,
                            i - 1,
                            i,
                            {SO3<>(), Vec3(i ? 0.5 : 0, 0, 0)},
                            {SO3<>(), Vec3(-0.5, 0, 0)}});
  }
  return chain;
}

}  // namespace torsor::test
