#pragma once

#include "io/provenance.hpp"
#include "io/result.hpp"
#include "json_writer.hpp"

/// Parts of the JSON that every run has, for bodies and for scenes in coordinates.
namespace torsor {

inline void write_head(JsonWriter& json, const Scene& scene, const RunSummary& summary) {
  json.text("status", to_string(summary.status));
  if (!summary.message.empty()) json.text("message", summary.message);
  json.text("scene", scene.name);
  json.text("version", provenance().version);
  json.text("method", scene.run.method);
  if (scene.chart)
    json.text("equations", to_string(scene.chart->equations));
  else
    json.text("formulation", to_string(scene.formulation));
  if (scene.run.constraints) json.text("treatment", to_string(*scene.run.constraints));
  if (!scene.chart) json.text("group", to_string(scene.group));
  if (scene.run.step) json.number("step", *scene.run.step);
  if (scene.run.tolerance) json.number("tolerance", *scene.run.tolerance);
  json.number("t", summary.t);
}

inline void write_events(JsonWriter& json, const Scene& scene, const RunSummary& summary) {
  json.open_list("events");
  for (const EventRecord& record : summary.events) {
    json.open();
    json.text("name", event_name(scene, record));
    json.number("t", record.t);
    json.close();
  }
  json.close();
}

inline void write_cost(JsonWriter& json, const RunSummary& summary) {
  json.open("steps");
  json.integer("accepted", summary.accepted);
  json.integer("rejected", summary.rejected);
  json.close();
  json.integer("evaluations", summary.evaluations);
  json.integer("general_solutions", summary.general_solutions);
  json.number("wall_s", summary.wall_s);
}

}  // namespace torsor
