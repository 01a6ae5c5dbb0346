#pragma once

#include <variant>

#include "torsor/report/geometry_report.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {

/// The options of a run of the scene to time t, without outputs on the way. Throws std::invalid_argument if
/// t is before the start of the scene, after it by less than the least step, or not finite.
SimulationOptions options_to(const Scene& scene, double t);

/// The geometry at the end of a run with these options. Throws EvaluationError where it cannot be evaluated.
using Geometry = std::variant<GeometryReport, CoordinateReport>;
Geometry geometry_at(const Scene& scene, const ReadyScene& ready, const RunSummary& end,
                     const SimulationOptions& options);

}  // namespace torsor::scene
