#pragma once

#include <filesystem>

#include "torsor/batch/compare.hpp"

namespace torsor::cli {

/// Compares methods on the shipped scenes that are suited to a comparison. Writes diagrams, tables, and a
/// page that shows them and says why the other scenes are left out. Unless `quiet`, prints the file of each
/// diagram. Returns the exit code.
int write_gallery(const std::filesystem::path& folder, batch::CompareOptions options, bool force, bool quiet);

}  // namespace torsor::cli
