#pragma once

#include <filesystem>
#include <string>

#include "torsor/io/results.hpp"

namespace torsor::io {

/// Writes a file that appears complete or not at all. Throws IoError.
void write_text(const std::filesystem::path& path, std::string text, const Overwrite& overwrite = {});

}  // namespace torsor::io
