#pragma once

#include <string>

#include "torsor/scene/scene.hpp"

namespace torsor::cli {

/// The output of `torsor check` and `torsor geometry` for a scene in coordinates.
std::string check_text(const scene::Scene& scene, const SystemInCoordinates& system, const Sample& start);
std::string geometry_text(const scene::Scene& scene, const CoordinateReport& report);

}  // namespace torsor::cli
