#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "torsor/io/io_error.hpp"

namespace torsor {

/// Which existing file a new file may replace: only one that is empty, or that Torsor wrote as a file of
/// the same kind, unless `force`.
struct Overwrite {
  /// Text in the first 64 KiB or the last 256 bytes of every file of the kind. A mark that begins with a
  /// line break stands directly after the first line instead.
  std::string mark = {};
  bool force = false;                              ///< replace a file of any kind
  std::vector<std::filesystem::path> inputs = {};  ///< inputs of the new file: never replaced
};

/// `overwrite` for files that carry this mark.
inline Overwrite marked(Overwrite overwrite, std::string mark) {
  overwrite.mark = std::move(mark);
  return overwrite;
}

/// Throws IoError if `path` must not be replaced. A link counts as the file that it leads to. Only regular
/// files are ever replaced.
void check_overwrite(const std::filesystem::path& path, const Overwrite& overwrite);

}  // namespace torsor
