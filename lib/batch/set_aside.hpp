#pragma once

#include <filesystem>

namespace torsor::batch {

/// Gives a damaged file the first free name of `path.damaged`, `path.damaged.2`, ..., and returns it. Throws
/// IoError.
std::filesystem::path set_aside(const std::filesystem::path& path);

/// The same for the ledger of a folder, with its log, which goes by its name.
std::filesystem::path set_ledger_aside(const std::filesystem::path& folder);

/// Removes the batch of a folder: what its program wrote, nothing else, and the folder where it is then
/// empty.
void remove_batch(const std::filesystem::path& folder);

}  // namespace torsor::batch
