#pragma once

#include <filesystem>

namespace torsor::batch {

/// Renames a damaged file to the first free name of `path.damaged`, `path.damaged.2`, ..., and returns the
/// new name. Throws IoError.
std::filesystem::path set_aside(const std::filesystem::path& path);

/// The same for the ledger of a folder and its log, which needs the same name with `-wal`.
std::filesystem::path set_ledger_aside(const std::filesystem::path& folder);

/// Removes the batch of a locked folder: its ledger, its tables and its records of running cases. Leaves all
/// other files, and the folder, whose lock would be lost.
void remove_batch(const std::filesystem::path& folder);

}  // namespace torsor::batch
