#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "digest.hpp"
#include "hdf5_reader.hpp"
#include "io/motion_kind.hpp"
#include "read_parts.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::io {
namespace fs = std::filesystem;
namespace {

StepStatus read_status(const Hdf5Reader& file, const std::string& text) {
  for (int i = 0; i <= static_cast<int>(StepStatus::connection_lost); ++i)
    if (const auto status = static_cast<StepStatus>(i); to_string(status) == text) return status;
  file.fail(text.empty() ? "has no status" : fmt::format("has the unknown status \"{:.40}\"", text));
}

/// Reads the summary from the facts. A number that the facts do not have becomes 0.
void read_summary(const StoredResult& result, const Hdf5Reader& file, Trajectory& trajectory) {
  const auto number = [&](const char* name) {
    const Fact* fact = result.fact(name);
    const double* value = fact ? std::get_if<double>(&fact->value) : nullptr;
    return value ? *value : 0.;
  };
  const auto count = [&](const char* name) {
    const Fact* fact = result.fact(name);
    const long* value = fact ? std::get_if<long>(&fact->value) : nullptr;
    return value ? *value : 0L;
  };
  RunSummary& run = trajectory.summary;
  run.status = read_status(file, result.text("status"));
  run.message = result.text("message");
  run.t = number("t");
  run.wall_s = number("wall_s");
  run.accepted = count("steps_accepted");
  run.rejected = count("steps_rejected");
  run.evaluations = count("evaluations");
  run.general_solutions = count("general_solutions");
  trajectory.energy_max_drift = number("energy_max_drift");
  trajectory.energy_drift_slope = number("energy_drift_slope");
}

/// `folder`: of the scene's file, for its plugins.
scene::Scene scene_of(const Hdf5Reader& file, const std::string& name, const fs::path& folder) try {
  const std::string text = file.text("/scene");
  if (text.empty()) file.fail("does not hold its scene, which was made in code and had no text");
  scene::Scene scene = scene::parse_scene(text, (folder / (name + ".toml")).string());
  scene.name = name;
  return scene;
} catch (const scene::SceneError& error) {
  file.fail(fmt::format("holds a scene whose text cannot be read: {}", error.what()));
}

/// The only .h5 file of a folder, or the path itself if it is not a folder.
fs::path result_file(const fs::path& path) {
  std::error_code failure;
  if (fs::status(path, failure).type() == fs::file_type::not_found)
    throw ResultError(fmt::format("no such file or folder: {}", path.string()));
  if (!fs::is_directory(path, failure)) return path;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(path, failure))
    if (entry.path().extension() == ".h5") found.push_back(entry.path());
  if (found.size() == 1) return found.front();
  if (fs::exists(path / "ledger.sqlite", failure))
    throw ResultError(fmt::format(
        "{} holds a batch, not the result of a run; `torsor table` and `torsor plot --over` read it",
        path.string()));
  throw ResultError(found.empty() ? fmt::format("{} holds no result: no .h5 file", path.string())
                                  : fmt::format("{} holds several results; name one of them", path.string()));
}

void check_signature(const InputFile& file) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  char first[signature.size()] = {};
  const auto got = ::pread(file.descriptor(), first, sizeof first, 0);
  if (got != sizeof first || std::string_view(first, sizeof first) != signature)
    throw ResultError(
        fmt::format("{} is not an HDF5 file{}", file.path().string(),
                    file.path().extension() == ".toml" ? "; run the scene by `torsor run` first" : ""));
}

}  // namespace

void check_names(const Hdf5Reader& file, const std::string& path, const std::vector<std::string>& expected) {
  if (file.strings(path) != expected)
    file.fail(fmt::format("is damaged at {}: names differ from the scene", path));
}

StoredResult read_result(const fs::path& path) {
  const InputFile file(result_file(path));
  check_signature(file);
  check_digest(file.descriptor(), result_kind, file.path());
  return result_of(read_content(file.descriptor(), file.path()), file.path());
}

namespace {

/// The facts of a file. Files of earlier versions have the treatment of constraints as `constraints`.
std::vector<Fact> facts_of(const Hdf5Content& content) {
  std::vector<Fact> facts = content.facts;
  for (Fact& fact : facts)
    if (fact.name == "constraints") fact.name = "treatment";
  return facts;
}

/// Sets the notes and which reactions are not unique, from the facts. The facts do not name the samples in
/// which a reaction is not unique, so it counts as not unique in all.
void read_notes(StoredResult& result) {
  result.scene.notes.clear();
  if (std::string notes = result.text("notes"); !notes.empty()) result.scene.notes = {std::move(notes)};
  const std::string shared = ", " + result.text("shared_reactions") + ", ";
  const auto mark = [&](const auto& parts, auto motions) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (shared.find(", " + parts[i].name + ", ") != shared.npos)
        for (Sample& sample : result.trajectory.samples)
          if (i < (sample.*motions).size()) (sample.*motions)[i].unique = false;
  };
  mark(result.scene.mechanism.joints, &Sample::joints);
  mark(result.scene.mechanism.constraints, &Sample::constraints);
}

/// The summary gets the events that the scene has; an event that was made in code is in the list alone.
void read_events(StoredResult& result, const Hdf5Reader& file) {
  const auto& names = file.strings("/events/names");
  const auto& at = file.array("/events/time", {names.size()});
  const std::vector<EventSpec>& events = result.scene.events;
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.events.push_back({names[i], at[i]});
    const auto found = std::find_if(events.begin(), events.end(),
                                    [&](const EventSpec& one) { return one.name == names[i]; });
    if (found != events.end())
      result.trajectory.summary.events.push_back({static_cast<int>(found - events.begin()), at[i], {}});
  }
}

}  // namespace

StoredResult result_of(const Hdf5Content& content, const fs::path& path) {
  StoredResult result;
  result.file = path;
  const Hdf5Reader file(path, content);
  result.facts = facts_of(content);
  const std::string format = result.text("format");
  if (format != result_kind)
    file.fail(format.empty() ? "is not a result of torsor run: it names no format"
                             : fmt::format("has the format \"{:.40}\", not \"torsor/result/1\"", format));
  result.scene = scene_of(file, result.text("scene"), result.text("scene_folder"));
  const std::size_t samples = file.rows("/time");
  if (samples == 0) file.fail("holds no samples");
  const std::vector<double>& t = file.array("/time", {samples});
  for (std::size_t i = 0; i < samples; ++i)
    if (!std::isfinite(t[i]) || (i > 0 && t[i] < t[i - 1]))
      file.fail("is damaged at /time: times must not decrease");
  result.trajectory.samples.resize(samples);
  for (std::size_t i = 0; i < samples; ++i) result.trajectory.samples[i].t = t[i];
  motion_kind(result.scene).read(file, result.scene, result.trajectory.samples);
  read_summary(result, file, result.trajectory);
  read_notes(result);
  read_events(result, file);
  return result;
}

const Fact* StoredResult::fact(std::string_view name) const {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.name == name; });
  return found == facts.end() ? nullptr : &*found;
}

std::string StoredResult::text(std::string_view name) const {
  const Fact* found = fact(name);
  if (!found) return {};
  return std::visit(
      []<class Value>(const Value& value) {
        if constexpr (std::is_same_v<Value, std::string>)
          return value;
        else
          return fmt::format("{}", value);
      },
      found->value);
}

}  // namespace torsor::io
