#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/greatest.hpp"
#include "torsor/model/mechanism.hpp"
#include "torsor/model/start.hpp"

namespace bench {

/// N windows of four-bars in a row (problem A02 of the multibody benchmark library). N + 1 upright rods lead
/// from ground pivots A_i = (i, 0) to B_i, and N couplers from B_i to B_(i+1). All rods are 1 m, 1 kg,
/// uniform; gravity along -y. By default B_0 starts at (0, 1) with velocity (1, 0). Order of the bodies: the
/// upright rods, then the couplers. `angle` is the initial angle of the upright rods from the x axis, rad.
struct FourBars {
  torsor::Mechanism mechanism;
  torsor::Start start;

  explicit FourBars(int windows, double angle = std::numbers::pi / 2) {
    using torsor::JointKind;
    for (int i = 0; i <= windows; ++i) add_rod(torsor::Vec3(i, 0, 0), angle, -1);
    for (int i = 0; i < windows; ++i) add_rod(torsor::Vec3(i + std::cos(angle), std::sin(angle), 0), 0, 0);
    for (torsor::BodyStart& rod : start.bodies) rod.v_W = velocity(rod, angle);
    for (int i = 0; i <= windows; ++i) add_hinge("A" + std::to_string(i), torsor::world, i, i, -0.5);
    for (int i = 0; i < windows; ++i) {
      add_hinge("B" + std::to_string(i), i, windows + 1 + i, 0.5, -0.5);
      add_hinge("C" + std::to_string(i), i + 1, windows + 1 + i, 0.5, 0.5);
    }
    mechanism.forces = {{"weight", torsor::UniformGravity{{0., -9.81, 0.}}}};
  }

 private:
  void add_rod(const torsor::Vec3& from, double angle, double rate) {
    torsor::Body rod;
    rod.name = "rod" + std::to_string(mechanism.bodies.size());
    rod.inertia = torsor::Vec3(1e-3, 1. / 12, 1. / 12).asDiagonal();
    mechanism.bodies.push_back(rod);
    torsor::BodyStart at;
    at.x = from + torsor::Vec3(std::cos(angle), std::sin(angle), 0) / 2;
    at.R = torsor::SO3<>::exp(torsor::Vec3(0, 0, angle));
    at.omega_W = torsor::Vec3(0, 0, rate);
    start.bodies.push_back(at);
  }

  /// Velocity of the middle of an upright rod, or of a coupler, which moves like the points B_i.
  static torsor::Vec3 velocity(const torsor::BodyStart& rod, double angle) {
    const torsor::Vec3 B = torsor::Vec3(std::sin(angle), -std::cos(angle), 0);
    return rod.omega_W->isZero() ? B : torsor::Vec3(B / 2);
  }

  void add_hinge(const std::string& name, int parent, int child, double on_parent, double on_child) {
    torsor::Joint hinge;
    hinge.name = name, hinge.kind = torsor::JointKind::revolute;
    hinge.parent = parent, hinge.child = child;
    hinge.X_PF.p[0] = on_parent, hinge.X_CM.p[0] = on_child;
    mechanism.joints.push_back(hinge);
  }
};

/// Position of B_0 at the time t, from the closed form with elliptic functions, for N = 40. Units: s, m.
struct Goal {
  double t;
  torsor::Vec3 B0;
};
/// A time before all rods lie in a line for the first time (at 0.72 s), and a time after five revolutions.
inline const Goal before_line{0.5, {0.68792597079077263444, 0.72578086135663086675, 0}};
inline const Goal five_revolutions{10, {0.1805122266867283901, 0.98357274058231157488, 0}};

/// B_i from the mass centres, in the order of the bodies.
inline torsor::Vec3 point_B(const std::vector<torsor::Vec3>& centres, int i) {
  return 2 * centres[i] - torsor::Vec3(i, 0, 0);
}

/// The greatest gap of a loop, m: the distance from B_(i+1) to the end of the coupler whose other end is at
/// B_i.
inline double greatest_gap(const std::vector<torsor::Vec3>& centres) {
  const int windows = static_cast<int>(centres.size()) / 2;
  double gap = 0;
  for (int i = 0; i < windows; ++i) {
    const torsor::Vec3 middle = (point_B(centres, i) + point_B(centres, i + 1)) / 2;
    gap = torsor::test::greatest(gap, 2 * (centres[windows + 1 + i] - middle).norm());
  }
  return gap;
}

}  // namespace bench
