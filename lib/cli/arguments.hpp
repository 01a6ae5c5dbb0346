#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "compare.hpp"
#include "verbs.hpp"

namespace torsor::cli {

/// The arguments of all verbs, as the command line gives them.
struct Arguments {
  RunArguments run;
  CheckArguments check;
  GeometryArguments geometry;
  std::vector<std::string> overrides, formats;
  std::string folder;
  bool methods_json = false, study_schema = false, man_page = false;
  BatchArguments batch;
  MergeArguments merge;
  TableArguments table;
  PictureArguments picture;
  CompareArguments compare;
  std::string shard, progress, status, size, help;
  double case_wall_limit = 0;
  std::uint64_t disk_limit = 0;
};

/// Adds all verbs with their options. `app.parse` then fills `arguments`.
void add_verbs(CLI::App& app, Arguments& arguments);

}  // namespace torsor::cli
