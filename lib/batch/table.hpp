#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/io/pages.hpp"

namespace torsor::batch {

/// A selection from the table of a batch.
struct TableQuery {
  std::string where;                 ///< an SQL condition on columns, which need no quotes; empty: all cases
  std::vector<std::string> columns;  ///< empty: case, parameters, status, message and results
  bool timings = false;              ///< also attempts, wall times, hashes and segments
};

/// An invalid query: an unknown column or an invalid condition.
class QueryError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Writes the cases in the ledger of a folder to `out`, as CSV in the order of their numbers, one piece at a
/// time; works also while another process runs the batch. Throws QueryError, IoError, and
/// std::invalid_argument if the folder holds no batch.
void read_table(const std::filesystem::path& folder, const TableQuery& query,
                const std::function<void(std::string_view)>& out);

/// Columns of the table of a batch, to be drawn over another column.
struct TablePlot {
  std::vector<std::string> columns;  ///< numeric columns; one diagram for each
  std::string over;                  ///< column of the horizontal axis, such as a parameter
  std::string by = {};               ///< one line for each value of this column; empty: one line
  io::PlotView view = {};            ///< `from` and `to` are values of the horizontal axis, in its unit
  bool logarithmic_over = false;     ///< a logarithmic horizontal axis
};

/// The diagrams, with a mark for each case that did not fail. A line joins the marks of one value of `by`, in
/// the order of the horizontal axis, if their cases differ by at most one other parameter. Throws QueryError
/// for an unknown column, or if no case can be drawn, and the other errors of read_table.
std::vector<io::Plot> plots_of(const std::filesystem::path& folder, const TablePlot& plot);

/// Whether the folder holds a batch.
bool is_batch(const std::filesystem::path& folder);

/// Merges the shards of one study into a new folder, with the tables of all cases that they have. Returns the
/// number of cases that are still missing. Throws IoError, and std::invalid_argument if the folders are of
/// different studies or have different results for a case. `force`: replaces a table.csv that another program
/// wrote.
std::int64_t merge_batches(const std::vector<std::filesystem::path>& folders,
                           const std::filesystem::path& merged, bool force = false);

}  // namespace torsor::batch
