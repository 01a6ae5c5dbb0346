#include <algorithm>

#include "io/motion_kind.hpp"
#include "io/pages/facts.hpp"
#include "io/provenance.hpp"
#include "io/result.hpp"
#include "json_writer.hpp"
#include "torsor/io/results.hpp"

namespace torsor::io {
namespace {

void write_head(JsonWriter& json, const scene::Scene& scene, const RunSummary& summary) {
  json.text("status", to_string(summary.status));
  if (!summary.message.empty()) json.text("message", summary.message);
  if (const std::string notes = notes_of(scene, summary); !notes.empty()) json.text("notes", notes);
  json.text("scene", scene.name);
  json.text("version", provenance().version);
  json.text("method", scene.run.method);
  const auto form = motion_kind(scene).form(scene);
  json.text(form.front().first, form.front().second);
  if (scene.run.constraints) json.text("treatment", to_string(*scene.run.constraints));
  for (std::size_t i = 1; i < form.size(); ++i) json.text(form[i].first, form[i].second);
  if (scene.run.step) json.number("step", *scene.run.step);
  if (scene.run.tolerance) json.number("tolerance", *scene.run.tolerance);
  json.number("t", summary.t);
}

void write_events(JsonWriter& json, const scene::Scene& scene, const RunSummary& summary) {
  json.open_list("events");
  for (const EventRecord& record : summary.events) {
    json.open();
    json.text("name", event_name(scene, record));
    json.number("t", record.t);
    json.close();
  }
  json.close();
}

void write_cost(JsonWriter& json, const RunSummary& summary) {
  json.open("steps");
  json.integer("accepted", summary.accepted);
  json.integer("rejected", summary.rejected);
  json.close();
  json.integer("evaluations", summary.evaluations);
  json.integer("general_solutions", summary.general_solutions);
  json.number("wall_s", summary.wall_s);
}

void write_residuals(JsonWriter& json, const Trajectory& trajectory) {
  json.open("residuals");
  json.number("position", max_or_nan(greatest(trajectory, &Invariants::group_defect),
                                     greatest(trajectory, &Invariants::position_residual)));
  json.number("velocity", greatest(trajectory, &Invariants::velocity_residual));
  json.number("acceleration", greatest(trajectory, &Invariants::acceleration_residual));
  json.close();
}

}  // namespace

std::string to_json(const scene::Scene& scene, const Trajectory& trajectory) {
  check_not_empty(trajectory);
  check_sample(scene, trajectory.samples.back());
  const RunSummary& summary = trajectory.summary;
  JsonWriter json;
  json.open();
  write_head(json, scene, summary);
  motion_kind(scene).write_end(json, scene, trajectory);
  write_residuals(json, trajectory);
  write_events(json, scene, summary);
  write_cost(json, summary);
  json.close();
  return json.finish();
}

}  // namespace torsor::io
