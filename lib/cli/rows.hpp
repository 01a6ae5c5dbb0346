#pragma once

#include <string>
#include <vector>

#include "torsor/scene/scene.hpp"
#include "torsor/sim/chart_trajectory.hpp"
#include "torsor/sim/mechanism_system.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor::cli {

/// The constraint rows of a scene at its start.
struct StartRows {
  /// Of joints outside the tree and of constraints, as a table.
  std::vector<std::vector<std::string>> table;
  int rows = 0, redundant = 0;
  std::vector<std::string> redundant_names;  ///< joints and constraints with redundant rows
};
StartRows start_rows(const Scene& scene, const ReadyScene& ready);

/// Eight names at most, with commas between them.
std::string first_of(std::vector<std::string> names);

/// That multipliers are not unique, and of what; empty where they are.
std::string redundancy_note(const StartRows& rows);

/// Whose reactions redundant rows share in one of the samples; empty where all are unique.
std::string shared_text(const Scene& scene, const Trajectory& trajectory);
inline std::string shared_text(const Scene&, const ChartTrajectory&) { return {}; }

}  // namespace torsor::cli
