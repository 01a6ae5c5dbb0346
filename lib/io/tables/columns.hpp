#pragma once

#include <string>
#include <vector>

#include "torsor/run/trajectory.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::io {

/// A column of a table. `unit` is "1" for numbers without a unit. It is empty for texts, and for numbers
/// whose unit the scene decides: in coordinates, and of a state without `unit`.
struct Column {
  std::string name, unit;
  bool operator==(const Column&) const = default;
};

/// The columns of result tables: time, then every body, joint, constraint, force, state, point and invariant,
/// as `t`, `body.top.x`, `joint.pivot.force_z`, ..., or in coordinates `coordinate.x.value`, ...
/// (docs/results.md).
std::vector<Column> columns_of(const scene::Scene& scene, const Sample& sample);

/// Whether these are the columns; makes no list of them.
bool has_columns(const scene::Scene& scene, const Sample& sample, const std::vector<Column>& columns);

/// The names of these columns.
std::vector<std::string> column_names(const scene::Scene& scene, const Sample& sample);

/// Replaces `values` by the values of a sample in these columns.
void column_values(const scene::Scene& scene, const Sample& sample, std::vector<double>& values);

}  // namespace torsor::io
