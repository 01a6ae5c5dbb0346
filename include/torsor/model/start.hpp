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
  std::optional<Vec3> x;                        ///< mass centre, world axes, m
  std::optional<SO3<>> R;                       ///< attitude, body to world
  std::optional<Vec3> v_W, v_B;                 ///< velocity of the mass centre in world or in body axes, m/s
  std::optional<Vec3> omega_W, Omega;           ///< angular velocity in world or in body axes, rad/s
};

/// What is given of a joint at the start: coordinates and rates of the joint as declared (parent to child).
struct JointStart {
  std::optional<Vec> q, v;
};

/// The start as written: one entry for each body and joint of the mechanism, in their order.
struct Start {
  std::vector<BodyStart> bodies;
  std::vector<JointStart> joints;
};

/// Data that contradict each other: one reason a line, each naming the joint or body and the residual.
class StartError : public std::invalid_argument {
 public:
  explicit StartError(std::vector<std::string> reasons_);
  std::vector<std::string> reasons;
};

/// Converts what is given into the state of the tree: body data fix joint coordinates where both sides are known;
/// coordinates that nothing fixes are zero. Data that no state satisfies to within `tolerance` (metres, radians, and
/// their rates, relative to max(1, size)) are a contradiction. Throws StartError.
State make_start(const Model& model, const Start& start, double tolerance = 1e-9);

}  // namespace torsor
