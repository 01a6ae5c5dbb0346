#pragma once

#include <string>
#include <vector>

#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor::scene {

/// The constraint rows of a scene at its start.
struct StartRows {
  /// The rows of joints outside the tree and of constraints, on request. Empty for a scene in coordinates.
  std::vector<std::vector<std::string>> table;
  int velocities = 0;                        ///< of the tree, or of the system in coordinates
  int rows = 0, redundant = 0;               ///< without rows that friction replaces
  std::vector<std::string> redundant_names;  ///< joints and constraints with redundant rows
  /// Degrees of freedom that the constraints leave.
  int freedoms() const { return velocities - rows + redundant; }
};
/// `with_table`: also finds the levels of the rows, which can take seconds.
StartRows start_rows(const Scene& scene, const ReadyModel& ready, bool with_table = false);
StartRows start_rows(const Scene& scene, const ReadyCoordinates& ready);

/// The first eight names, separated by commas, and "..." if there are more.
std::string first_of(std::vector<std::string> names);

/// A note that redundant rows make the reactions not unique, with the names of joints and constraints.
/// Empty if there are none.
std::string redundancy_note(const StartRows& rows);

/// The notes of a scene before its run: from reading the scene, from completing its start, and on redundant
/// rows.
std::vector<std::string> notes_before_run(const Scene& scene, const ReadyScene& ready);

/// Names the joints and constraints whose reactions are not unique in one of the samples. Empty if all
/// reactions are unique.
std::string shared_text(const Scene& scene, const Trajectory& trajectory);

}  // namespace torsor::scene
