#pragma once

#include <string>

#include "torsor/scene/scene.hpp"

namespace torsor::cli {

/// The output of `torsor check` and `torsor geometry` for a scene in coordinates.
std::string check_text(const Scene& scene, const Chart& chart, const Sample& start);
std::string geometry_text(const Scene& scene, const ChartReport& report);

}  // namespace torsor::cli
