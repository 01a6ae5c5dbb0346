#pragma once

#include <filesystem>

#include "torsor/batch/compare.hpp"

namespace torsor::cli {

/// Compares on every shipped scene where that tells something, and writes diagrams, tables and a page that
/// shows them and says why other scenes are left out.
int write_gallery(const std::filesystem::path& folder, CompareOptions options, bool force);

}  // namespace torsor::cli
