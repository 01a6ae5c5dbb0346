#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "layout.hpp"
#include "ledger.hpp"
#include "torsor/batch/batch.hpp"

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

/// Runs case k within the limits of the options. Whatever goes wrong inside it ends in its status and
/// message: `invalid-scene` for values that do not go together, `wall-limit` for computing time,
/// `out-of-memory`, also for a trajectory of too many numbers, `internal-error`, and those of runs. Nothing
/// where `stopped` ended it.
std::optional<CaseResult> run_case(const Study& study, const FirstCase& first, std::int64_t k,
                                   const BatchOptions& options, const std::function<bool()>& stopped);

}  // namespace torsor::batch
