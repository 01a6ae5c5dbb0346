#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "layout.hpp"
#include "ledger.hpp"

namespace torsor::batch {

/// A finished case on its way to the ledger.
struct CaseResult {
  CaseRecord record;
  /// Its trajectory, where they are kept: one row of columns a sample.
  struct Whole {
    std::vector<std::string> columns;
    std::vector<double> rows;
  };
  std::optional<Whole> whole;
};

/// Case k with its parameters alone.
CaseRecord begun(const Study& study, std::int64_t k);

/// Runs case k. Whatever goes wrong inside it ends in its status and message: `invalid-scene` for values that
/// do not go together, `wall-limit` for computing time, `out-of-memory`, `internal-error`, and those of runs.
/// Nothing where `stopped` ended it.
std::optional<CaseResult> run_case(const Study& study, const FirstCase& first, std::int64_t k,
                                   double wall_limit, const std::function<bool()>& stopped);

}  // namespace torsor::batch
