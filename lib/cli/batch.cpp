#include "torsor/batch/batch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <ctime>

#include "batch/table.hpp"
#include "batch_progress.hpp"
#include "exit_code.hpp"
#include "process.hpp"
#include "progress.hpp"
#include "run/plain_text.hpp"
#include "scene_files.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string values(const batch::Study& study, std::int64_t k) {
  const std::vector<batch::Value> all = study.values(k);
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", study.parameters[i].key, plain_text(all[i].toml));
  return text.empty() ? "the scene as it is" : text;
}

std::string plan(const batch::Study& study, int threads, bool lanes) {
  const batch::BatchPlan plan = plan_batch(study, threads);
  Rows rows = {{"cases", fmt::format("{}", plan.cases)},
               {"first", values(study, 0)},
               {"last", values(study, plan.cases - 1)},
               {"columns", fmt::format("{}", plan.columns)},
               {"samples", plan.samples > 0 ? fmt::format("{} a case", plan.samples)
                                            : std::string("one for each step of a case")},
               {"memory", "about " + byte_count(plan.memory_bytes)},
               {"disk", "about " + byte_count(plan.disk_bytes) +
                            (study.keep.trajectories && plan.samples == 0 ? ", and the trajectories" : "")}};
  if (lanes && plan.lanes > 1)
    rows.insert(rows.begin() + 1, {"at once", fmt::format("{} cases on each thread", plan.lanes)});
  return fmt::format("{}{}{}{}{}\n", style_begin(Style::bold, STDOUT_FILENO), study.name,
                     style_end(STDOUT_FILENO), study.title.empty() ? "" : ": ", study.title) +
         table(rows, 2);
}

/// Reads the study, on rank 0 first. If rank 0 or another rank cannot read it, rank 0 reports the error and
/// the result of the other rank is empty.
std::optional<batch::Study> read_study(const std::string& name, batch::Ranks* ranks) try {
  return after_rank_0(ranks, [&name] { return batch::load_study(find_study(name), find_scene); });
} catch (const std::exception& error) {
  if (!ranks || ranks->rank() == 0) throw;
  decline_batch(*ranks, error.what());
  return std::nullopt;
}

std::string folder_of(const BatchArguments& arguments, const batch::Study& study) {
  if (arguments.folder) return *arguments.folder;
  const std::string name = "results/" + io::file_label(study.name);
  return arguments.shards == 1 ? name : fmt::format("{}-{}of{}", name, arguments.shard, arguments.shards);
}

std::string counts(const batch::BatchState& state) {
  const std::string noted =
      state.noted > 0 ? fmt::format(", {} with notes in their messages", state.noted) : "";
  return fmt::format("{} of {} done, {} failed{}", state.done, state.cases, state.failed, noted);
}

}  // namespace

int batch_verb(const BatchArguments& arguments) try {
  const Interrupts interrupts;
  const std::unique_ptr<batch::Ranks> ranks = arguments.plan ? nullptr : batch::mpi_ranks();
  const std::optional<batch::Study> read = read_study(arguments.study, ranks.get());
  if (!read) return success;  // rank 0 reports the error
  const batch::Study& study = *read;
  if (arguments.plan) {
    print(plan(study, arguments.threads, arguments.lanes == "on"));
    return success;
  }
  on_crash(batch::note_crash);
  BatchProgress progress(study.name, arguments.progress);
  batch::BatchOptions options;
  options.folder = folder_of(arguments, study);
  options.threads = arguments.threads;
  options.lanes = arguments.lanes == "on";
  options.shard = arguments.shard;
  options.shards = arguments.shards;
  options.resume = arguments.resume;
  options.force = arguments.force;
  if (arguments.case_wall_limit) options.case_wall_limit = *arguments.case_wall_limit;
  options.checkpoint_s = arguments.checkpoint;
  options.ranks = ranks.get();
  options.cancelled = [] { return Interrupts::signal() != 0; };
  options.progress = [&progress](const batch::BatchState& state) { progress.at(state); };
  options.tell = [](const std::string& text) { print_error(fmt::format("note: {}\n", plain_text(text))); };
  const batch::BatchSummary summary = run_batch(study, options);
  if (ranks && ranks->rank() != 0) return success;
  progress.end(summary.state);
  if (!arguments.quiet) {
    Rows rows = {{"cases", counts(summary.state)}, {"ledger", (options.folder / "ledger.sqlite").string()}};
    if (summary.complete) rows.push_back({"table", summary.table.string()});
    print(fmt::format("{}{}{}  {}\n", style_begin(Style::bold, STDOUT_FILENO), study.name,
                      style_end(STDOUT_FILENO),
                      summary.complete ? "complete" : "interrupted, --resume continues it") +
          table(rows, 2));
  }
  if (!summary.complete && Interrupts::signal() != 0) return 128 + Interrupts::signal();
  return summary.complete && summary.state.failed == 0 ? success : run_failed;
} catch (const scene::SceneError&) {
  if (Interrupts::signal() == 0) throw;
  print_error(fmt::format("torsor: stopped by signal {} before the first case\n", Interrupts::signal()));
  return 128 + Interrupts::signal();
}

int status_verb(const std::string& folder) {
  const batch::BatchState state = batch::batch_state(folder);
  const std::string now = state.running         ? "running"
                          : state.ended.empty() ? "died; torsor batch --resume continues it"
                                                : state.ended;
  Rows rows = {{"state", now},
               {"done", fmt::format("{} of {}", state.done, state.cases)},
               {"failed", fmt::format("{}", state.failed)},
               {"left", fmt::format("{}", state.left())},
               {"rate", fmt::format("{:.4g} cases a second", state.rate)}};
  if (state.noted > 0) rows.push_back({"with notes", fmt::format("{}", state.noted)});
  if (const auto left_s = state.left_s(); state.running && state.left() > 0 && left_s) {
    const std::time_t end = std::time(nullptr) + std::lround(*left_s);
    char text[64];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", std::localtime(&end));
    rows.push_back({"expected end", fmt::format("{}, in {}", text, duration(*left_s))});
  }
  print(table(rows, 0));
  return success;
}

int merge_verb(const MergeArguments& arguments) {
  const std::int64_t missing = batch::merge_batches({arguments.folders.begin(), arguments.folders.end()},
                                                    arguments.folder, arguments.force);
  const batch::BatchState state = batch::batch_state(arguments.folder);
  print(table({{"merged", arguments.folder}, {"cases", counts(state)}}, 0));
  if (missing > 0) print_error(fmt::format("torsor: cases that are in none of the folders: {}\n", missing));
  return missing > 0 || state.failed > 0 ? run_failed : success;
}

int table_verb(const TableArguments& arguments) try {
  batch::read_table(arguments.folder, {arguments.where, arguments.columns, arguments.timings},
                    [](std::string_view text) { print(text); });
  return success;
} catch (const batch::QueryError& error) {
  print_error(fmt::format("torsor: error: {}\n", plain_text(error.what())));
  return usage;
}

}  // namespace torsor::cli
