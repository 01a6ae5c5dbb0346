#pragma once

#include <string>
#include <vector>

#include "diagnostics.hpp"
#include "document.hpp"
#include "torsor/model/mechanism.hpp"

namespace torsor {

/// Where the parts of a scene were written, for mistakes that only the model finds.
struct ScenePlaces {
  struct BodyPlace {
    scene::Position table, mass, inertia, position, attitude, velocity, angular_velocity;
  };
  std::string file;
  Overrides overrides;
  std::vector<BodyPlace> bodies;
  scene::Position chart;
  std::vector<scene::Position> joints, forces, constraints;
};

namespace scene {
/// What the model found wrong, each reason at the part of the scene that it speaks of.
void tell(const std::vector<std::string>& reasons, const Mechanism& mechanism, const ScenePlaces& places,
          Diagnostics& diagnostics);
}  // namespace scene

}  // namespace torsor
