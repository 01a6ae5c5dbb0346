#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table_reader.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {

/// Mass and inertia (about the common centre of mass, body axes) of the solids of a body.
struct MassAndInertia {
  double mass = 0;
  Mat3 inertia = Mat3::Zero();
  std::vector<Shape> shapes = {};  ///< of the solids, for pictures
};

/// Adds up the solids under the key "solid". Their centre of mass must be at the origin; if not, the error
/// message gives its position.
std::optional<MassAndInertia> read_solids(const TableReader& body, std::vector<std::string>& notes);

}  // namespace torsor::scene
