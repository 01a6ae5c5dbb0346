#pragma once

#include <optional>
#include <string>
#include <vector>

#include "torsor/io/result.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::cli {

struct RunArguments {
  std::string scene;
  Overrides overrides;
  std::optional<std::string> folder;
  std::vector<ResultFormat> formats = {ResultFormat::h5, ResultFormat::csv};
  bool json = false, quiet = false;
};

struct CheckArguments {
  std::string scene;
  Overrides overrides;
};

struct GeometryArguments {
  std::string scene;
  Overrides overrides;
  std::optional<double> at;  ///< s; the start of the scene when absent
  bool json = false;
};

// The verbs. Each prints on standard output, throws what report_exception understands, and gives the exit
// code.
int run_verb(const RunArguments& arguments);
int check_verb(const CheckArguments& arguments);
int geometry_verb(const GeometryArguments& arguments);
int methods_verb(bool json);
int schema_verb();

/// "torsor 0.1.0 (commit, compiler, build type, instruction set)".
std::string version_line();

/// "revolute", ... as scenes spell it.
std::string_view kind_name(JointKind kind);

/// A table of texts, columns aligned to the left, two spaces between them.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent);

}  // namespace torsor::cli
