#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch_progress.hpp"
#include "io/result.hpp"
#include "torsor/io/pages.hpp"
#include "torsor/report/geometry_report.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::cli {

struct RunArguments {
  std::string scene;
  scene::Overrides overrides;
  std::optional<std::string> folder;
  std::vector<io::ResultFormat> formats = {io::ResultFormat::h5, io::ResultFormat::csv};
  std::optional<double> disk_limit;  ///< bytes; default: the free space
  bool json = false, quiet = false, force = false;
};

struct CheckArguments {
  std::string scene;
  scene::Overrides overrides;
  bool all = false;  ///< print every row of long tables
};

struct GeometryArguments {
  std::string scene;
  scene::Overrides overrides;
  std::optional<double> at;  ///< s; default: the start of the scene
  bool json = false;
  std::optional<double> follow;               ///< duration of curves, s
  std::vector<std::string> direction, carry;  ///< "name=value", components of vectors
  std::optional<std::string> curves;          ///< table of the curves
  bool force = false;
};

struct BatchArguments {
  std::string study;
  std::optional<std::string> folder;
  int threads = 0, shard = 1, shards = 1;
  std::string lanes = "on";
  bool plan = false, resume = false, force = false, quiet = false;
  std::optional<double> case_wall_limit;  ///< s
  double checkpoint = 1;                  ///< s
  BatchProgress::Form progress = BatchProgress::Form::bar;
};

struct MergeArguments {
  std::vector<std::string> folders;
  std::string folder;  ///< of the joined batch
  bool force = false;
};

struct TableArguments {
  std::string folder, where;
  std::vector<std::string> columns;
  bool timings = false;
};

/// The arguments of view, plot and report.
struct PictureArguments {
  std::string result;
  std::optional<std::string> file;  ///< default: beside the result
  std::vector<std::string> columns;
  io::PlotView view;  ///< of plots
  std::string by;     ///< of plots of a batch: a column of its table
  bool logarithmic_over = false;
  io::PlotOptions drawing;  ///< of plots
  bool force = false;
};

// The verbs. Each prints to standard output and returns the exit code, or throws an exception for
// report_exception (exit_code.hpp).
int run_verb(const RunArguments& arguments);
int check_verb(const CheckArguments& arguments);
int geometry_verb(const GeometryArguments& arguments);
int methods_verb(bool json);
int schema_verb(bool study);
int view_verb(const PictureArguments& arguments);
int plot_verb(const PictureArguments& arguments);
int report_verb(const PictureArguments& arguments);
int batch_verb(const BatchArguments& arguments);
int status_verb(const std::string& folder);
int merge_verb(const MergeArguments& arguments);
int table_verb(const TableArguments& arguments);
int scenes_verb();

/// "torsor 0.1.0 (commit, compiler, build type, instruction set)".
std::string version_line();

/// The output of `torsor geometry` for a mechanism.
std::string geometry_text(const scene::Scene& scene, const GeometryReport& report);

/// A table with its columns aligned to the left and separated by two spaces.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent);
/// "5.4 GB".
std::string byte_count(double count);
/// A title on a line of its own, after an empty line.
std::string section(const char* title);

}  // namespace torsor::cli
