#pragma once

#include <filesystem>
#include <functional>

#include "ledger.hpp"

namespace torsor::batch {

/// Writes `table.csv` and, where the study asks for it, `statistics.csv` from the ledger and gives the path
/// of the first; an empty one where `cancelled` ended it. `force`: also where files of others have these
/// names.
std::filesystem::path write_tables(const std::filesystem::path& folder, Ledger& ledger, bool force,
                                   const std::function<bool()>& cancelled);

/// Throws IoError where such a file must not be replaced.
void check_tables(const std::filesystem::path& folder, bool force);

}  // namespace torsor::batch
