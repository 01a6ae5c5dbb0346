#pragma once

#include <string>
#include <vector>

#include "bindings.hpp"
#include "io/tables/columns.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::python {

/// A result with its table, which holds the columns of its CSV file one after another. The arrays of Python
/// are views of the table. The table is made on first use.
class Motion {
 public:
  explicit Motion(io::StoredResult result);

  const io::StoredResult& result() const { return result_; }
  /// The result with all facts, for pages.
  const io::StoredResult& stated();
  const std::vector<double>& table();
  std::size_t samples() const { return result_.trajectory.samples.size(); }

 private:
  io::StoredResult result_;
  std::vector<double> table_;
};

/// The layout of the table: a list with name and unit of each column, and a dictionary. The dictionary has
/// the numbers of coordinates and rates of a joint under "joint.<name>", and the number of multipliers of a
/// constraint, then 0, under "constraint.<name>".
py::tuple layout(const scene::Scene& scene, const Sample& first);

/// A result of a run in memory.
io::StoredResult stored(const scene::Scene& scene, Trajectory trajectory);

}  // namespace torsor::python
