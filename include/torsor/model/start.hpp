#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "torsor/lie/types.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// The given values of a body at the start; each may be absent.
struct BodyStart {
  std::optional<Vec3> x = {};              ///< mass centre, world axes, m
  std::optional<SO3<>> R = {};             ///< attitude, body to world
  std::optional<Vec3> v_W = {}, v_B = {};  ///< velocity of the mass centre in world or in body axes, m/s
  std::optional<Vec3> omega_W = {}, Omega = {};  ///< angular velocity in world or in body axes, rad/s
};

/// The given values of a joint at the start: coordinates and rates of the joint as declared (parent to
/// child).
struct JointStart {
  std::optional<Vec> q = {}, v = {};
};

/// The start as the user gives it: one entry for each body and joint of the mechanism, in their order, or no
/// entries if nothing is given.
struct Start {
  std::vector<BodyStart> bodies;
  std::vector<JointStart> joints;
};

/// The given values are not valid or contradict each other. The message has one reason on each line; each
/// reason names the joint or body, and the residual of a contradiction.
class StartError : public std::invalid_argument {
 public:
  explicit StartError(Reasons reasons_);
  Reasons reasons;
};

/// Converts the given values into the state of the tree, in two similar passes: poses, then velocities. A
/// joint with given coordinates (rates) determines its child from its parent and its parent from its child.
/// The motions of the two bodies determine any other joint. From the ground outwards:
///
///   1. a body whose pose is given in full, or determined through given joints, takes that pose. A given
///      joint outside the tree determines a body on an implied free joint if the other body is placed before;
///   2. a partly given body (attitude alone, mass centre alone) determines that part of its joint: an
///      attitude determines angles, a mass centre determines displacements (and angles if a rotation is
///      needed to reach it);
///   3. a free joint that nothing determines places its body so that the bodies that it carries take their
///      given poses, with the joints between them at their given coordinates or at zero;
///   4. all other coordinates and rates are zero, or as small as the given values allow.
///
/// Given values that the state does not match within `tolerance` (metres, radians, and their rates,
/// relative to max(1, size)) are a contradiction: throws StartError. The cost is about linear in the
/// number of bodies and joints.
State make_start(const Model& model, const Start& start, double tolerance = 1e-9);

/// The two passes of make_start: the coordinates, and the rates at any coordinates q.
Vec start_coordinates(const Model& model, const Start& start, double tolerance);
Vec start_rates(const Model& model, const Start& start, const Vec& q, double tolerance);

}  // namespace torsor
