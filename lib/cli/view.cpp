#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "batch/table.hpp"
#include "exit_code.hpp"
#include "io/picture.hpp"
#include "io/text_file.hpp"
#include "process.hpp"
#include "run/plain_text.hpp"
#include "torsor/io/pages.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace fs = std::filesystem;
namespace {

/// The requested file, or by default a file beside the result.
std::string file_of(const PictureArguments& arguments, const io::StoredResult& result, const char* name) {
  return arguments.file.value_or((result.file.parent_path() / name).string());
}

/// A page or a plot replaces only files of its own kind, unless --force is given, and never a file of the
/// result: the table of the run stands beside the HDF5 file.
io::Overwrite over(const PictureArguments& arguments, const io::StoredResult& result, std::string mark) {
  return {std::move(mark), arguments.force, {result.file, fs::path(result.file).replace_extension(".csv")}};
}

}  // namespace

int view_verb(const PictureArguments& arguments) {
  constexpr std::size_t large = 20'000'000;  // bytes
  const io::StoredResult result = io::read_result(arguments.result);
  io::Replay replay = replay_page(result, {arguments.columns});
  const std::string path = file_of(arguments, result, "replay.html");
  const std::size_t size = replay.html.size();
  write_text(path, std::move(replay.html), over(arguments, result, io::replay_mark));
  const std::string shown = replay.frames < replay.samples
                                ? fmt::format("{} of {} samples", replay.frames, replay.samples)
                                : fmt::format("{} samples", replay.samples);
  print(table({{"replay", path},
               {"shows", shown},
               {"size", fmt::format("{:.2f} MB", static_cast<double>(size) / 1e6)}},
              2));
  if (size > large) print_error("note: a page of this size opens slowly\n");
  return 0;
}

int plot_verb(const PictureArguments& arguments) try {
  const io::PictureFormat format = io::picture_format(arguments.file.value_or("plot.svg"));
  const auto write = [&](const fs::path& path, const std::vector<io::Plot>& plots, io::Overwrite overwrite) {
    write_text(path, rendered(to_svg(plots, arguments.drawing), format), overwrite);
  };
  std::string path;
  std::error_code failure;
  const bool of_batch = batch::is_batch(arguments.result);
  for (const auto& [option, given] :
       {std::pair("--by", !arguments.by.empty()), std::pair("--log-over", arguments.logarithmic_over)})
    if (given && !of_batch)
      throw CLI::ValidationError(option, fmt::format("{} is not the folder of a batch", arguments.result));
  if (of_batch) {
    if (arguments.view.over.empty())
      throw CLI::ValidationError("--over", "the plot of a batch needs a column for its horizontal axis");
    path = arguments.file.value_or((fs::path(arguments.result) / "plot.svg").string());
    write(path,
          batch::plots_of(arguments.result, {arguments.columns, arguments.view.over, arguments.by,
                                             arguments.view, arguments.logarithmic_over}),
          {picture_mark(format), arguments.force});
  } else if (fs::path(arguments.result).extension() == ".csv" &&
             !fs::is_directory(arguments.result, failure)) {
    path = arguments.file.value_or(fs::path(arguments.result).replace_extension(".svg").string());
    write(path, plots_of(io::read_curves(arguments.result), arguments.columns, arguments.view),
          {picture_mark(format), arguments.force, {arguments.result}});
  } else {
    const io::StoredResult result = io::read_result(arguments.result);
    path = file_of(arguments, result, "plot.svg");
    write(path, plots_of(result, arguments.columns, arguments.view),
          over(arguments, result, picture_mark(format)));
  }
  print(table({{"plot", path}}, 2));
  return 0;
} catch (const batch::QueryError& error) {
  print_error(fmt::format("torsor: error: {}\n", plain_text(error.what())));
  return usage;
}

int report_verb(const PictureArguments& arguments) {
  const io::StoredResult result = io::read_result(arguments.result);
  const std::string path = file_of(arguments, result, "report.html");
  write_text(path, report_page(result), over(arguments, result, io::page_mark));
  const std::size_t warnings = warnings_of(result).size();
  print(table({{"report", path}, {"warnings", fmt::format("{}", warnings)}}, 2));
  return 0;
}

}  // namespace torsor::cli
