#include "case_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>

#include "batch/lanes/lanes.hpp"
#include "io/tables/columns.hpp"

namespace torsor::batch {
namespace {

/// The messages, each on one line, with the name of the file but not its folder: results must not depend on
/// the folder.
std::string told(const scene::SceneError& error, const scene::Overrides& overrides) {
  std::string text;
  for (const scene::Diagnostic& one : error.diagnostics) {
    if (!text.empty()) text += '\n';
    if (one.override_index >= 0) {
      const auto& [key, value] = overrides[static_cast<std::size_t>(one.override_index)];
      text += fmt::format("{} = {}: {}", key, value, one.message);
    } else {
      const std::string file = std::filesystem::path(one.file).filename().string();
      text += one.line > 0 ? fmt::format("{}:{}:{}: {}", file, one.line, one.column, one.message)
                           : fmt::format("{}: {}", file, one.message);
    }
  }
  return text;
}

/// The message of a run, and its notes.
std::string message_of(const RunSummary& summary) {
  if (summary.note.empty()) return summary.message;
  return fmt::format("{}{}{}{}", summary.message, summary.message.empty() ? "" : "; ", note_mark,
                     summary.note);
}

/// Adds the times at which columns are kept to the output times of the scene.
void add_times(const std::vector<double>& times, SimulationOptions& options) {
  auto& all = options.output_times;
  all.insert(all.end(), times.begin(), times.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase_if(all, [&](double t) { return t < options.t_begin || t > options.t_end; });
}

/// Whether the steps of a scene may be taken in lanes: lanes take no constraints.
bool fits_lanes(const scene::Scene& scene, const scene::ReadyScene& ready) {
  const auto* const bodies = std::get_if<scene::ReadyModel>(&ready);
  return runs_in_lanes(scene.run.method) && bodies && !bodies->model.constrained();
}

void integrate(const Study& study, const FirstCase& first, scene::Scene scene, std::size_t most_numbers,
               CaseResult& result) {
  add_times(study.keep.times, scene.run);
  Gather gather(study, scene, first);
  scene.run.reads = [&gather](double t) { return gather.reads(t); };
  std::vector<double> row;
  bool too_long = false;
  const auto sink = [&](const Sample& sample) {
    gather.sample(sample);
    if (!study.keep.trajectories) return;
    if (!result.whole) result.whole.emplace();
    auto& [columns, rows] = *result.whole;
    if (columns.empty()) columns = io::column_names(scene, sample);
    io::column_values(scene, sample, row);
    too_long = rows.size() + row.size() > most_numbers;
    if (too_long) throw std::length_error("");  // ends the run
    rows.insert(rows.end(), row.begin(), row.end());
  };
  const scene::ReadyScene ready = prepare(scene);
  std::optional<CaseTaker> taker;
  if (Lanes* lanes = Lanes::here(); lanes && fits_lanes(scene, ready)) {
    taker.emplace(*lanes, scene.run.method);
    scene.run.make_method = [&taker] { return taker->make_method(); };
  }
  const Trajectory trajectory = run(scene, ready, scene.run, sink);
  result.record.results = gather.finish(trajectory);
  if (too_long)
    throw std::length_error(
        fmt::format("the trajectory has more than {} numbers, the limit of a case; give a greater run.output",
                    most_numbers));
  result.record.status = to_string(trajectory.summary.status);
  result.record.message = message_of(trajectory.summary);
}

}  // namespace

CaseRecord begun(std::int64_t k, const std::vector<Value>& values) {
  CaseRecord record;
  record.number = k;
  for (const Value& value : values)
    record.parameters.insert(record.parameters.end(), value.cells.begin(), value.cells.end());
  return record;
}

std::optional<CaseResult> run_case(const Study& study, const FirstCase& first, std::int64_t k,
                                   const BatchOptions& options, const std::function<bool()>& stopped) {
  const auto start = std::chrono::steady_clock::now();
  CaseResult result;
  const std::vector<Value> values = study.values(k);
  CaseRecord& record = result.record = begun(k, values);
  const scene::Overrides overrides = study.overrides(values);
  const auto fail = [&result, &record](const char* status, std::string message) {
    record.status = status;
    record.message = std::move(message);
    record.results.clear();
    result.whole.reset();
  };
  try {
    scene::Scene scene = study.scene.scene(overrides);
    scene.run.wall_limit = std::min(scene.run.wall_limit, options.case_wall_limit);
    scene.run.cancelled = stopped;
    integrate(study, first, std::move(scene), static_cast<std::size_t>(options.case_numbers), result);
  } catch (const scene::SceneError& error) {
    fail("invalid-scene", told(error, overrides));
  } catch (const std::invalid_argument& error) {
    fail("invalid-scene", error.what());
  } catch (const std::length_error& error) {
    fail("out-of-memory", error.what());
  } catch (const std::bad_alloc&) {
    fail("out-of-memory", "");
  } catch (const std::exception& error) {
    fail("internal-error", error.what());
  }
  if (record.status == to_string(StepStatus::cancelled)) {
    if (stopped()) return std::nullopt;
    fail("wall-limit", std::move(record.message));  // no results: how far it came depends on the machine
  }
  record.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace torsor::batch
