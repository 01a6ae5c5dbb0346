#include "io/provenance.hpp"
#include "json_writer.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::io {
namespace {

void write(JsonWriter& json, std::string_view name, const std::vector<NamedComponent>& components) {
  json.open(name);
  for (const NamedComponent& component : components) json.number(component.name, component.value);
  json.close();
}
void write(JsonWriter& json, std::string_view name, const std::vector<std::string>& names,
           const Vec& values) {
  json.open(name);
  for (Eigen::Index i = 0; i < values.size(); ++i) json.number(names[static_cast<std::size_t>(i)], values[i]);
  json.close();
}

void write_frame(JsonWriter& json, const CoordinateNames& names, const CoordinateReport& report) {
  json.open("frame");
  write(json, "velocities", names.velocities, report.velocities);
  write(json, "structure_coefficients", report.brackets);
  json.close();
}

void write_connection(JsonWriter& json, const CoordinateReport& report) {
  json.open("connection");
  json.text("name", report.connection);
  write(json, "affinities", report.affinities);
  write(json, "torsion", report.torsion);
  write(json, "curvature", report.curvature);
  write(json, "non_metricity", report.non_metricity);
  json.number("weak_residual", report.weak);
  json.number("strong_residual", report.strong);
  if (report.is_constrained()) {
    json.number("constrained_weak_residual", report.constrained_weak);
    json.number("constrained_strong_residual", report.constrained_strong);
  }
  json.close();
}

void write_rows(JsonWriter& json, const CoordinateReport& report) {
  json.open_list("constraints");
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const RowReport& row = report.rows[i];
    const auto place = static_cast<Eigen::Index>(i);
    json.open();
    json.text("name", row.constraint);
    json.text("level", to_string(row.level));
    json.flag("rheonomic", row.rheonomic);
    if (row.gives_way) json.flag("gives_way", true);
    json.number("offset", row.offset);
    if (place < report.bending_multipliers.size()) {
      json.number("bending_multiplier", report.bending_multipliers[place]);
      json.number("load_multiplier", report.load_multipliers[place]);
    }
    json.close();
  }
  json.close();
}

void write_time(JsonWriter& json, const CoordinateTimeReport& time, const CoordinateNames& names) {
  json.open("time");
  if (time.has_verdict()) json.flag("scleronomic", time.removable);
  json.open_list("causes");
  for (const std::string& cause : time.causes) json.text({}, cause);
  json.close();
  json.open_list("directions");
  for (Eigen::Index j = 0; j < time.basis.cols(); ++j) json.vector({}, Vec(time.basis.col(j)));
  json.close();
  json.open_list("S1");
  for (Eigen::Index i = 0; i < time.S1.rows(); ++i) json.vector({}, Vec(time.S1.row(i)));
  json.close();
  json.vector("S2", time.S2);
  write(json, "standard_time_vector", names.coordinates, time.V);
  json.number("g_VV", time.g_VV);
  json.number("S1_around", time.S1_around);
  json.number("S2_around", time.S2_around);
  json.integer("states", time.states);
  json.close();
}

void write_friction(JsonWriter& json, const SlowManifoldReport& slip) {
  json.open("friction");
  json.vector("slip", slip.slip);
  if (slip.sigma_1.size() > 0) {
    json.vector("sigma_1", slip.sigma_1);
    json.vector("sigma_2", slip.sigma_2);
    json.vector("h_1", slip.h_1);
    json.vector("h_2", slip.h_2);
  }
  json.close();
}

void write_greatest(JsonWriter& json, std::string_view name, const NamedComponent& greatest) {
  json.open(name);
  if (!greatest.name.empty()) json.text("component", greatest.name);
  json.number("value", greatest.value);
  json.close();
}

void write_connections(JsonWriter& json, const CoordinateCurves& curves) {
  json.open("connections");
  for (const FrameConnection& one : curves.connections) {
    json.open(one.name);
    write_greatest(json, "torsion", one.torsion);
    write_greatest(json, "curvature", one.curvature);
    write_greatest(json, "non_metricity", one.non_metricity);
    json.number("weak_residual", one.weak);
    json.number("strong_residual", one.strong);
    json.close();
  }
  json.close();
}

/// The columns of the table of curves.
void write_curves(JsonWriter& json, const scene::Scene& scene, const CoordinateCurves& curves) {
  json.open("curves");
  for (const Series& one : columns_of(scene, curves)) json.vector(one.name, one.values);
  json.close();
}

}  // namespace

std::string to_json(const scene::Scene& scene, const CoordinateReport& report,
                    const std::optional<CoordinateCurves>& curves) {
  const CoordinateNames names = scene.in_coordinates->names();
  JsonWriter json;
  json.open();
  json.text("scene", scene.name);
  json.text("version", provenance().version);
  json.number("t", report.t);
  write_frame(json, names, report);
  if (report.has_metric) write_connection(json, report);
  write_rows(json, report);
  if (report.has_metric) {
    write_time(json, report.time, names);
    write(json, "second_fundamental_form", names.coordinates, report.bending);
  }
  if (report.friction) write_friction(json, *report.friction);
  if (curves) {
    write_connections(json, *curves);
    write_curves(json, scene, *curves);
  }
  json.close();
  return json.finish();
}

}  // namespace torsor::io
