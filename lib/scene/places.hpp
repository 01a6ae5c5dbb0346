#pragma once

#include <string>
#include <vector>

#include "document.hpp"
#include "torsor/scene/diagnostic.hpp"

namespace torsor {

/// Where the parts of a scene were written, for mistakes that only the model finds.
struct ScenePlaces {
  struct BodyPlace {
    scene::Position table, mass, inertia, position, attitude, velocity, angular_velocity;
  };
  std::string file;
  Overrides overrides;
  std::vector<BodyPlace> bodies;
  std::vector<scene::Position> joints, forces, constraints;
};

}  // namespace torsor
