#pragma once

#include <vector>

#include "scene/read/table_reader.hpp"
#include "torsor/batch/study.hpp"

namespace torsor::batch {

/// Reads the tables [[parameter]] and the axes of the grid that they span. Reports all errors that can be
/// found without the scene.
void read_parameters(const std::vector<scene::TableReader>& tables, Study& study);

}  // namespace torsor::batch
