#pragma once

#include <string>
#include <vector>

#include "torsor/scene/scene.hpp"
#include "torsor/sim/mechanism_system.hpp"

namespace torsor::cli {

/// The constraint rows of a scene at its start.
struct StartRows {
  /// Of joints outside the tree and of constraints, as a table.
  std::vector<std::vector<std::string>> table;
  int rows = 0, redundant = 0;
  std::vector<std::string> redundant_names;  ///< joints and constraints with redundant rows
};
StartRows start_rows(const Scene& scene, const ReadyScene& ready);

/// That multipliers are not unique, and of what; empty where they are.
std::string redundancy_note(const StartRows& rows);

}  // namespace torsor::cli
