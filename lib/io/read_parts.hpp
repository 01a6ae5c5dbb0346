#pragma once

#include <string>
#include <vector>

#include "hdf5_reader.hpp"

namespace torsor {

/// Refuses a file whose list of names at `path` is not this one.
void check_names(const Hdf5Reader& file, const std::string& path, const std::vector<std::string>& expected);

/// The samples at these times, as far as a file holds them.
Trajectory read_mechanism(const Hdf5Reader& file, const Scene& scene, const std::vector<double>& t);
ChartTrajectory read_chart(const Hdf5Reader& file, const ChartScene& chart, const std::vector<double>& t);

}  // namespace torsor
