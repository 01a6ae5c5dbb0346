#pragma once

#include <string>
#include <vector>

#include "bindings.hpp"
#include "io/tables/columns.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::python {

/// A result with its table: the columns of its CSV file, one after another, of which the arrays of Python are
/// views. The table is made when it is first asked for.
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

/// The layout of the table: name and unit of each column, and by "joint.<name>" or "constraint.<name>" the
/// numbers of coordinates and rates of a joint, or of multipliers of a constraint and 0.
py::tuple layout(const scene::Scene& scene, const Sample& first);

/// A result of a run in memory.
io::StoredResult stored(const scene::Scene& scene, Trajectory trajectory);
/// A result from a file. Its trajectory has also the status and the events of the run.
io::StoredResult read(const std::string& path);

}  // namespace torsor::python
