#pragma once

#include <optional>
#include <string>

#include "torsor/batch/compare.hpp"

namespace torsor::cli {

struct CompareArguments {
  std::string scene;
  std::optional<std::string> folder;
  batch::CompareOptions options;
  bool gallery = false, quiet = false, force = false;
};
/// The verb `compare`; see the verbs in verbs.hpp.
int compare_verb(const CompareArguments& arguments);

}  // namespace torsor::cli
