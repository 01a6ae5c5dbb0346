#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "batch/ledger/ledger.hpp"

namespace torsor::batch {

/// Writes `table.csv` from the ledger and, if the study asks for it, `statistics.csv`. Returns the path of
/// `table.csv`, or an empty path if `cancelled` stopped it. `force`: replaces files of these names even if
/// another program wrote them.
std::filesystem::path write_tables(const std::filesystem::path& folder, Ledger& ledger, bool force,
                                   const std::function<bool()>& cancelled);

/// Throws IoError if one of these files exists and must not be replaced, or is one of `inputs`.
void check_tables(const std::filesystem::path& folder, bool force,
                  const std::vector<std::filesystem::path>& inputs = {});

}  // namespace torsor::batch
