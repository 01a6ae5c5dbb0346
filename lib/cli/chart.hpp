#pragma once

#include <string>

#include "torsor/scene/scene.hpp"

namespace torsor::cli {

/// What `torsor check` and `torsor geometry` print of a scene in coordinates.
std::string check_text(const Scene& scene, const Chart& chart, const ChartSample& start);
std::string geometry_text(const Scene& scene, const ChartReport& report);

}  // namespace torsor::cli
