#pragma once

#include <string>

#include "torsor/scene/scene.hpp"

namespace torsor::cli {

/// Refuses a start of a scene in coordinates at which a run could not begin. The message names the quantity
/// that is not finite.
void require_finite(const scene::Scene& scene, const scene::ReadyCoordinates& ready,
                    const Trajectory& at_once);

/// The output of `torsor check` and `torsor geometry` for a scene in coordinates.
std::string check_text(const scene::Scene& scene, const SystemInCoordinates& system, const Sample& start);
std::string geometry_text(const scene::Scene& scene, const CoordinateReport& report);

}  // namespace torsor::cli
