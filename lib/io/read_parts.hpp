#pragma once

#include <string>
#include <vector>

#include "hdf5_reader.hpp"

namespace torsor {

/// Refuses a file whose list of names at `path` is not this one.
void check_names(const Hdf5Reader& file, const std::string& path, const std::vector<std::string>& expected);

/// The result that a file holds, from its contents; `path` stands in messages.
StoredResult result_of(const Hdf5Content& content, const std::filesystem::path& path);

/// The samples at these times, as far as a file holds them.
Trajectory read_mechanism(const Hdf5Reader& file, const Scene& scene, const std::vector<double>& t);
ChartTrajectory read_chart(const Hdf5Reader& file, const ChartScene& chart, const std::vector<double>& t);

}  // namespace torsor
