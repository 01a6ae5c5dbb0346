#pragma once

#include <string>
#include <vector>

#include "table_reader.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {

/// The shapes (key "shape") and the colour of a body.
Look read_look(const TableReader& body, std::vector<std::string>& notes);
/// The colour of a body; empty if it is missing or wrong.
std::string read_color(const TableReader& body);

}  // namespace torsor::scene
