#include "io/result_plan.hpp"

#include <cmath>
#include <limits>
#include <system_error>

#include "system/time_resolution.hpp"

namespace torsor::io {

double planned_outputs(const SimulationOptions& options) {
  const auto listed = static_cast<double>(options.output_times.size());
  const double every_step = listed > 0 ? 0 : options.step.value_or(0);
  const double step = options.output_step > 0 ? options.output_step : every_step;
  const double before_end =
      options.t_end - options.t_begin - mechanics::time_resolution(options.t_begin, options.t_end);
  if (step > 0) return std::ceil(before_end / step) + 1 + listed;
  return listed > 0 ? listed + 2 : 0;
}

std::vector<Column> columns_of(const scene::Scene& scene) {
  return columns_of(scene, run_at_start(scene, prepare(scene)).samples.front());
}

double planned_bytes(const scene::Scene& scene, const std::vector<ResultFormat>& formats) {
  // Bytes of a number in a CSV table, and in HDF5, which has a few more columns.
  constexpr double decimals = 19, binary = 10;
  const double outputs = planned_outputs(scene.run);
  if (outputs == 0) return 0;
  double bytes = 0;
  for (const ResultFormat format : formats) bytes += format == ResultFormat::csv ? decimals : binary;
  return bytes * outputs * static_cast<double>(columns_of(scene).size());
}

double free_bytes(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::path there = std::filesystem::absolute(folder, failure);
  while (there.has_relative_path() && !std::filesystem::exists(there, failure)) there = there.parent_path();
  const auto space = std::filesystem::space(there, failure);
  return failure ? std::numeric_limits<double>::infinity() : static_cast<double>(space.available);
}

}  // namespace torsor::io
