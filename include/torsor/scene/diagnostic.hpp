#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace torsor {

/// "key.path=value" of the command line. The path addresses tables by name: body.top.mass. A value is TOML,
/// or else a plain string. Setting integrator.tolerance removes integrator.step, and the reverse.
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// One error in an input file: its position, what is wrong, and what would be right.
struct Diagnostic {
  std::string file;
  int line = 0, column = 0;  ///< from 1; line 0: the file as a whole, or an override
  std::string message;
  int override_index = -1;   ///< from 0: its key is column 0, its value column 1; -1: the file
  std::string text() const;  ///< "scenes/heavy_top.toml:14:11: error: ..."
};

/// All diagnostics of a file (at most 50), in the order of the file. `limit_exceeded`: the input exceeds a
/// size limit, which need not be a mistake.
class SceneError : public std::runtime_error {
 public:
  explicit SceneError(std::vector<Diagnostic> diagnostics_, bool limit_exceeded_ = false);
  std::vector<Diagnostic> diagnostics;
  bool limit_exceeded = false;
};

}  // namespace torsor
