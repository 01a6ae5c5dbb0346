#pragma once

#include <string>
#include <vector>

#include "torsor/scene/scene.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

/// The columns of result tables: time, then every body, joint, constraint, point and invariant, as `t`,
/// `body.top.x`, `joint.pivot.force_z`, ... (docs/results.md).
std::vector<std::string> column_names(const Scene& scene, const Sample& sample);
std::vector<std::string> column_names(const Scene& scene, const ChartSample& sample);

/// The values of a sample in these columns, in place of what `values` held.
void column_values(const Scene& scene, const Sample& sample, std::vector<double>& values);
void column_values(const Scene& scene, const ChartSample& sample, std::vector<double>& values);

}  // namespace torsor
