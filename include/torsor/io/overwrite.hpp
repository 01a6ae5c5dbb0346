#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "torsor/io/io_error.hpp"

namespace torsor {

/// What may be replaced by a new file. One that stands under its name stays, unless it is empty or Torsor
/// wrote it as a file of the same kind.
struct Overwrite {
  /// Stands in the first 64 KiB or the last 256 bytes of every file of the kind; one that begins with a line
  /// break stands behind the first line.
  std::string mark = {};
  bool force = false;                              ///< replace a file of any kind
  std::vector<std::filesystem::path> inputs = {};  ///< what the new file is made from: never replaced
};

/// The same for files that carry this mark.
inline Overwrite marked(Overwrite overwrite, std::string mark) {
  overwrite.mark = std::move(mark);
  return overwrite;
}

/// Throws IoError where `path` must not be replaced. A link stands for the file that it leads to; what is not
/// a regular file is never replaced.
void check_overwrite(const std::filesystem::path& path, const Overwrite& overwrite);

}  // namespace torsor
