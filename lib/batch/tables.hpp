#pragma once

#include <filesystem>
#include <functional>

#include "ledger.hpp"

namespace torsor::batch {

/// Writes `table.csv` and, where the study asks for it, `statistics.csv` from the ledger and gives the path
/// of the first; an empty one where `cancelled` ended it.
std::filesystem::path write_tables(const std::filesystem::path& folder, Ledger& ledger,
                                   const std::function<bool()>& cancelled);

}  // namespace torsor::batch
