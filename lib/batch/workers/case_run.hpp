#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "batch/layout.hpp"
#include "batch/ledger/ledger.hpp"
#include "torsor/batch/batch.hpp"

namespace torsor::batch {

/// A finished case that is not in the ledger yet.
struct CaseResult {
  CaseRecord record;
  /// The trajectory of the case, if the study keeps trajectories: one row of column values for each sample.
  struct Whole {
    std::vector<std::string> columns;
    std::vector<double> rows;
  };
  std::optional<Whole> whole;
};

/// Case k with its number and the values of its parameters, without status and results.
CaseRecord begun(std::int64_t k, const std::vector<Value>& values);

/// Runs case k within the limits of the options. An error inside the case ends it with a status and a
/// message: `invalid-scene` for values that contradict each other, `wall-limit` for a wall time
/// beyond the limit, `out-of-memory` (also for a trajectory of too many numbers), `internal-error`, and the
/// statuses of runs. Empty if `stopped` ended the case.
std::optional<CaseResult> run_case(const Study& study, const FirstCase& first, std::int64_t k,
                                   const BatchOptions& options, const std::function<bool()>& stopped);

}  // namespace torsor::batch
