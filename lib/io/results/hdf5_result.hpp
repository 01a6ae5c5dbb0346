#pragma once

#include "hdf5_samples.hpp"
#include "result_file.hpp"

namespace torsor {

/// Makes the groups, names and datasets of a result, from its first sample.
void declare(Hdf5File& file, Hdf5Samples<Sample>& sets, const Scene& scene, const Sample& first);
void declare(Hdf5File& file, Hdf5Samples<ChartSample>& sets, const Scene& scene, const ChartSample& first);

}  // namespace torsor
