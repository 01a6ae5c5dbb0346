#pragma once

#include <string>

#include "scene/start_rows.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::cli {

/// Six digits of a value. The text is "0" if the value is only a rounding error in comparison with `terms`,
/// which have the same unit.
std::string number_text(double value, double terms = 0);

/// The output of `torsor check` and `torsor geometry` for a scene in coordinates.
std::string check_text(const scene::Scene& scene, const SystemInCoordinates& system,
                       const scene::StartRows& constraints, const Sample& start);
std::string geometry_text(const scene::Scene& scene, const CoordinateReport& report);

/// The ends of curves, for `torsor geometry`.
std::string curves_text(const scene::Scene& scene, const CoordinateCurves& curves);
/// The number of outputs of an autoparallel with accurate values.
std::size_t accurate_outputs(const Autoparallel& curve);

}  // namespace torsor::cli
