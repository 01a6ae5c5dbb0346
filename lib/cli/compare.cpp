#include "compare.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "exit_code.hpp"
#include "gallery.hpp"
#include "io/results/result_file.hpp"
#include "io/text_file.hpp"
#include "process.hpp"
#include "progress.hpp"
#include "scene_files.hpp"
#include "torsor/batch/compare.hpp"
#include "torsor/io/pages.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

namespace fs = std::filesystem;

std::string summary(const batch::Comparison& all, const std::string& folder) {
  std::vector<std::vector<std::string>> rows = {
      {"combination", "order", "observed", "least error", "CPU time", "failed", "notes"}};
  for (std::size_t i = 0; i < all.combinations.size(); ++i) {
    const batch::Combination& one = all.combinations[i];
    if (!one.refused.empty()) continue;
    const batch::ComparedRun* best = nullptr;
    long failed = 0, noted = 0, count = 0;
    for (const batch::ComparedRun& run : all.runs) {
      if (run.combination != i) continue;
      ++count, failed += !run.good(), noted += run.good() && run.noted();
      if (run.good() && (!best || run.error < best->error)) best = &run;
    }
    const auto order = all.observed_order(i);
    rows.push_back({one.label, fmt::format("{}", one.order), order ? fmt::format("{:.2f}", *order) : "-",
                    best ? fmt::format("{:.2g} {}", best->error, all.unit) : "-",
                    best ? fmt::format("{:.2g} s", best->cpu_s) : "-",
                    failed > 0 ? fmt::format("{} of {}", failed, count) : "",
                    noted > 0 ? fmt::format("{} of {}", noted, count) : ""});
  }
  std::string text =
      fmt::format("{}{}{}\n", style_begin(Style::bold, 1), all.scene, style_end(1)) + table(rows, 2);
  std::vector<std::vector<std::string>> facts = {{"reference", all.reference.how}};
  if (const std::string errors = all.about_errors(); !errors.empty()) facts.push_back({"errors", errors});
  if (all.reference.estimated)
    facts.push_back({"reference error", fmt::format("about {:.1g} {}", all.reference.own_error, all.unit)});
  if (!all.error_known()) facts.push_back({"reference error", "not known, so no order is observed"});
  for (const batch::Combination& one : all.combinations)
    if (!one.refused.empty()) facts.push_back({"refused", fmt::format("{}: {}", one.label, one.refused)});
  for (const char* file : {"compare.html", "compare.svg", "compare.csv"})
    facts.push_back(
        {file == std::string("compare.html") ? "written" : "", (fs::path(folder) / file).string()});
  return text + table(facts, 2);
}

void write(const batch::Comparison& all, const fs::path& folder, bool force) {
  io::write_text(folder / "compare.csv", comparison_csv(all), {batch::comparison_mark, force});
  io::write_text(folder / "compare.svg", comparison_svg(all), {io::svg_mark, force});
  io::write_text(folder / "compare.html", comparison_page(all), {io::page_mark, force});
}

/// Throws if a file of the comparison exists and must not be replaced, such as a table that the scene reads.
/// This function is called before the runs, so that no run is lost.
void check_comparison_files(const fs::path& folder, bool force, const scene::Scene& scene) {
  io::check_overwrite(folder / "compare.csv", io::keep_tables({batch::comparison_mark, force}, scene));
  io::check_overwrite(folder / "compare.svg", {io::svg_mark, force});
  io::check_overwrite(folder / "compare.html", {io::page_mark, force});
}

bool any_good(const batch::Comparison& all) {
  return std::any_of(all.runs.begin(), all.runs.end(),
                     [](const batch::ComparedRun& run) { return run.good(); });
}

/// Runs the comparison. Returns the exit code: 128 + n if signal n stopped it before the end.
int compare_or_stop(const CompareArguments& arguments, batch::CompareOptions options) {
  if (arguments.gallery)
    return write_gallery(arguments.folder.value_or("docs/gallery"), options, arguments.force,
                         arguments.quiet);
  const scene::SceneSource source(find_scene(arguments.scene));
  check_comparison_files(options.folder, arguments.force, source.scene());
  bool written = false;
  options.done = [&](const batch::Comparison& all) {
    if (Interrupts::signal() != 0) return;
    write(all, options.folder, arguments.force);
    written = true;
  };
  const batch::Comparison all = compare(source, options);
  if (!written) return 128 + Interrupts::signal();
  if (!arguments.quiet) print(summary(all, options.folder));
  return any_good(all) ? success : run_failed;
}

}  // namespace

int compare_verb(const CompareArguments& arguments) {
  const Interrupts interrupts;
  batch::CompareOptions options = arguments.options;
  options.cancelled = [] { return Interrupts::signal() != 0; };
  StatusLine line(!arguments.quiet, std::chrono::seconds(1));
  const std::string name = arguments.gallery ? "gallery" : fs::path(arguments.scene).stem().string();
  options.progress = [&](const std::string& what, double share) {
    if (share >= 1) return line.erase();
    if (line.due()) line.show(fmt::format("{}: {}", name, what), share, {});
  };
  if (!arguments.gallery)
    options.folder = arguments.folder.value_or("results/compare-" + io::file_label(name));
  int code = success;
  try {
    code = compare_or_stop(arguments, options);
  } catch (const std::invalid_argument&) {
    if (Interrupts::signal() == 0) throw;
    code = 128 + Interrupts::signal();
  }
  line.erase();
  if (code > 128)
    print_error(fmt::format("torsor: stopped by signal {} before the end; {}\n", Interrupts::signal(),
                            arguments.gallery ? "the gallery is incomplete" : "no comparison is written"));
  return code;
}

}  // namespace torsor::cli
