#pragma once

#include <string>
#include <vector>

#include "hdf5_reader.hpp"

namespace torsor::io {

/// Throws ResultError if the list of names at `path` differs from `expected`.
void check_names(const Hdf5Reader& file, const std::string& path, const std::vector<std::string>& expected);

/// Makes the result from the contents of a file. `path`: for messages.
StoredResult result_of(const Hdf5Content& content, const std::filesystem::path& path);

}  // namespace torsor::io
