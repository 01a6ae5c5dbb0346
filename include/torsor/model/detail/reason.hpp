#pragma once

#include <string>
#include <utility>
#include <vector>

#include "torsor/lie/status.hpp"

namespace torsor {

/// A reason why a mechanism or a start is refused.
struct Reason {
  /// The datum of a body that is wrong; `whole` for all other data.
  enum class Field { whole, mass, inertia, position, attitude, velocity, angular_velocity };

  Part part;  ///< the part of the mechanism with the wrong data; none if no single part has them
  Field field = Field::whole;
  std::string text;  ///< one sentence, which names the part
};
using Reasons = std::vector<Reason>;

inline Part body_part(int index) { return {Part::Kind::body, index}; }
inline Part joint_part(int index) { return {Part::Kind::joint, index}; }
inline Part force_part(int index) { return {Part::Kind::force, index}; }
inline Part constraint_part(int index) { return {Part::Kind::constraint, index}; }

}  // namespace torsor
