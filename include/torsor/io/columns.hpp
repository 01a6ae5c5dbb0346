#pragma once

#include <string>
#include <vector>

#include "torsor/scene/scene.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

/// A column of a table: its name, and the unit of its numbers. "1": they have none; empty: texts, or numbers
/// whose unit only the formulas of the scene know.
struct Column {
  std::string name, unit;
  bool operator==(const Column&) const = default;
};

/// The columns of result tables: time, then every body, joint, constraint, point and invariant, as `t`,
/// `body.top.x`, `joint.pivot.force_z`, ... (docs/results.md).
std::vector<Column> columns_of(const Scene& scene, const Sample& sample);
std::vector<Column> columns_of(const Scene& scene, const ChartSample& sample);

/// Their names alone.
std::vector<std::string> column_names(const Scene& scene, const Sample& sample);
std::vector<std::string> column_names(const Scene& scene, const ChartSample& sample);

/// The values of a sample in these columns, in place of what `values` held.
void column_values(const Scene& scene, const Sample& sample, std::vector<double>& values);
void column_values(const Scene& scene, const ChartSample& sample, std::vector<double>& values);

}  // namespace torsor
