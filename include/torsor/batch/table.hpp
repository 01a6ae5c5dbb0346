#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

/// What to see of the table of a batch.
struct TableQuery {
  std::string where;                 ///< an SQL condition on columns, which need no quotes; empty: all cases
  std::vector<std::string> columns;  ///< empty: case, parameters, status, message and results
  bool timings = false;              ///< attempts and computing times behind them
};

/// A query that cannot be: an unknown column, a condition that is none.
class QueryError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The cases that a folder's ledger has, as CSV in the order of their numbers, a piece at a time; also while
/// another process works on it. Throws QueryError and IoError.
void read_table(const std::filesystem::path& folder, const TableQuery& query,
                const std::function<void(std::string_view)>& out);

/// Puts the shards of one study together in a new folder, with the tables of all cases that they have. The
/// number of cases that are still missing comes back. Throws IoError, and std::invalid_argument where the
/// folders are not of one study, or disagree about a case. `force`: replaces a table.csv that others wrote.
std::int64_t merge_batches(const std::vector<std::filesystem::path>& folders,
                           const std::filesystem::path& merged, bool force = false);

}  // namespace torsor
