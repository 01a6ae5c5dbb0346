#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch_progress.hpp"
#include "torsor/io/plot.hpp"
#include "torsor/io/result.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/sim/geometry_report.hpp"

namespace torsor::cli {

struct RunArguments {
  std::string scene;
  Overrides overrides;
  std::optional<std::string> folder;
  std::vector<ResultFormat> formats = {ResultFormat::h5, ResultFormat::csv};
  std::optional<double> disk_limit;  ///< bytes; what is free when absent
  bool json = false, quiet = false, force = false;
};

struct CheckArguments {
  std::string scene;
  Overrides overrides;
  bool all = false;  ///< every row of long tables
};

struct GeometryArguments {
  std::string scene;
  Overrides overrides;
  std::optional<double> at;  ///< s; the start of the scene when absent
  bool json = false;
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
  std::string folder;  ///< of the whole
  bool force = false;
};

struct TableArguments {
  std::string folder, where;
  std::vector<std::string> columns;
  bool timings = false;
};

/// Of view, plot and report.
struct PictureArguments {
  std::string result;
  std::optional<std::string> file;  ///< beside the result when absent
  std::vector<std::string> columns;
  PlotView view;  ///< of plots, as what follows
  PlotOptions drawing;
  bool force = false;
};

// The verbs. Each prints on standard output, throws what report_exception understands, and gives the exit
// code.
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

/// What `torsor geometry` prints of a mechanism.
std::string geometry_text(const Scene& scene, const GeometryReport& report);

/// A table of texts, columns aligned to the left, two spaces between them.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent);
/// "5.4 GB".
std::string byte_count(double count);
/// A title on a line of its own, after an empty one.
std::string section(const char* title);

}  // namespace torsor::cli
