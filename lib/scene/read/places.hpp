#pragma once

#include <string>
#include <vector>

#include "scene/diagnostics.hpp"
#include "scene/document.hpp"
#include "torsor/model/detail/reason.hpp"

namespace torsor::scene {

/// Positions in the file of the parts of a scene, for errors that only the model finds.
struct ScenePlaces {
  struct BodyPlace {
    Position table, mass, inertia, position, attitude, velocity, angular_velocity;
  };
  std::string file;
  Overrides overrides;
  std::vector<BodyPlace> bodies;
  Position whole = {1, 1};  ///< for reasons about no single part: the position of [chart], if there is one
  std::vector<Position> joints, forces, constraints;
  std::vector<Position> periods;  ///< of sampled values
};

/// Reports the model's reasons for refusing a scene, each at the position of its part and field.
void tell(const Reasons& reasons, const ScenePlaces& places, Diagnostics& diagnostics);
}  // namespace torsor::scene
