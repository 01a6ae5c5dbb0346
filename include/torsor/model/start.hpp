#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "torsor/lie/state.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// What is given of a body at the start; anything may be missing.
struct BodyStart {
  std::optional<Vec3> x = {};              ///< mass centre, world axes, m
  std::optional<SO3<>> R = {};             ///< attitude, body to world
  std::optional<Vec3> v_W = {}, v_B = {};  ///< velocity of the mass centre in world or in body axes, m/s
  std::optional<Vec3> omega_W = {}, Omega = {};  ///< angular velocity in world or in body axes, rad/s
};

/// What is given of a joint at the start: coordinates and rates of the joint as declared (parent to child).
struct JointStart {
  std::optional<Vec> q = {}, v = {};
};

/// The start as written: one entry for each body and joint of the mechanism, in their order; no entries at
/// all where nothing is given of any.
struct Start {
  std::vector<BodyStart> bodies;
  std::vector<JointStart> joints;
};

/// Data that contradict each other: one reason a line, each naming the joint or body and the residual.
class StartError : public std::invalid_argument {
 public:
  explicit StartError(Reasons reasons_);
  Reasons reasons;
};

/// Converts what is given into the state of the tree, in two like rounds, poses and then velocities. A joint
/// whose coordinates (rates) are given carries knowledge either way, from parent to child and from child to
/// parent; any other joint takes what its two sides fix. From the ground up:
///
///   1. a body given in full, or fixed through joints that are given, stands where that puts it;
///   2. what is given in part (attitude alone, mass centre alone) fixes that part of its joint: an attitude
///   fixes
///      angles, a mass centre displacements, and angles where it takes a turn to come to its place;
///   3. a free joint that nothing fixes puts its body where the bodies that hang on it ask, their joints at
///   zero;
///   4. coordinates and rates that nothing fixes are zero (rates: the smallest that fit).
///
/// Data that the state does not meet to within `tolerance` (metres, radians, and their rates, relative to
/// max(1, size)) are a contradiction. Throws StartError. Linear in the number of bodies.
State make_start(const Model& model, const Start& start, double tolerance = 1e-9);

/// Its two rounds: the coordinates, and the rates at any coordinates.
Vec start_coordinates(const Model& model, const Start& start, double tolerance);
Vec start_rates(const Model& model, const Start& start, const Vec& q, double tolerance);

}  // namespace torsor
