#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table_reader.hpp"
#include "torsor/scene/look.hpp"

namespace torsor::scene {

/// Mass and inertia (about the common centre of mass, body axes) of the solids of a body.
struct MassAndInertia {
  double mass = 0;
  Mat3 inertia = Mat3::Zero();
  std::vector<Shape> shapes = {};  ///< as pictures show them
};

/// Adds up the solids under the key "solid". Their centre of mass must be the origin; an error says where it
/// is.
std::optional<MassAndInertia> read_solids(const TableReader& body, std::vector<std::string>& notes);

}  // namespace torsor::scene
