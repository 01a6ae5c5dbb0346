#pragma once

#include <vector>

#include "scene/table_reader.hpp"
#include "torsor/batch/study.hpp"

namespace torsor::batch {

/// Reads the tables [[parameter]] and the axes of the grid that they span; what is wrong with each by itself
/// is reported.
void read_parameters(const std::vector<scene::TableReader>& tables, Study& study);

}  // namespace torsor::batch
