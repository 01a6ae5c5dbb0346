#include <fmt/format.h>

#include <map>

#include "attitude.hpp"
#include "read_couplings.hpp"

namespace torsor::scene {
namespace {

using Law = decltype(Constraint::law);

MovingPoint moving_point(const Reading& reading, const TableReader& table) {
  return {reading.body(table, "body"), table.time_vec3("position")};
}

Law distance(Reading& reading, const TableReader& table) {
  return Distance{moving_point(reading, table.inner("from")), moving_point(reading, table.inner("to")),
                  table.time_function("length")};
}

Law point_on_line(Reading& reading, const TableReader& table) {
  const TableReader line = table.inner("line");
  return PointOnLine{moving_point(reading, table.inner("point")), moving_point(reading, line),
                     read_direction(line, "direction")};
}

Law point_on_plane(Reading& reading, const TableReader& table) {
  const TableReader plane = table.inner("plane");
  return PointOnPlane{moving_point(reading, table.inner("point")), moving_point(reading, plane),
                      read_direction(plane, "normal"), table.time_function("distance")};
}

Law point_driver(Reading& reading, const TableReader& table) {
  PointDriver law{moving_point(reading, table.inner("point")),
                  moving_point(reading, table.inner("target")),
                  {false, false, false}};
  for (const std::string& axis : table.texts("along"))
    if (axis.size() == 1 && axis[0] >= 'x' && axis[0] <= 'z') law.along[axis[0] - 'x'] = true;
  return law;
}

Law constant_angle(Reading& reading, const TableReader& table) {
  const TableReader a = table.inner("from"), b = table.inner("to");
  return ConstantAngle{reading.body(a, "body"), reading.body(b, "body"), read_direction(a, "direction"),
                       read_direction(b, "direction"), table.time_function("angle")};
}

Law constant_velocity(Reading& reading, const TableReader& table) {
  Joint frames;
  read_frames(table, frames, reading.scene.notes);
  return ConstantVelocityJoint{reading.body(table, "parent"), reading.body(table, "child"), frames.X_PF,
                               frames.X_CM};
}

Law knife_edge(Reading& reading, const TableReader& table) {
  VelocityLaw::Term term;
  term.point = {reading.body(table, "body"), table.vec3("position").value_or(Vec3::Zero())};
  term.c = read_direction(table, "normal");
  return VelocityLaw{{term}, 0.};
}

Law spin(Reading& reading, const TableReader& table) {
  VelocityLaw::Term term;
  term.quantity = VelocityLaw::Term::Quantity::angular_velocity;
  term.point.body = reading.body(table, "body");
  term.c = read_direction(table, "direction");
  term.body_axes = table.text("axes") == "body";
  return VelocityLaw{{term}, table.time_function("value")};
}

MovingPlane moving_plane(const TableReader& table) {
  MovingPlane plane;
  plane.point = table.time_vec3("position");
  plane.normal = read_direction(table, "normal");
  plane.axis = table.find("axis") ? read_direction(table, "axis") : plane.normal;
  plane.angle = table.time_function("angle");
  return plane;
}

Law rolling(Reading& reading, const TableReader& table) {
  Rolling law;
  law.body = reading.body(table, "body");
  law.centre = table.vec3("position").value_or(Vec3::Zero());
  law.plane = moving_plane(table.inner("plane"));
  const std::string kind = table.text("kind");
  if (kind == "rolling-sphere") {
    law.shape = RollingSphere{table.number("radius").value_or(1)};
  } else if (kind == "rolling-disk") {
    law.shape = RollingDisk{read_direction(table, "axis"), table.number("radius").value_or(1),
                            table.number("edge").value_or(0)};
    law.upright = table.flag("upright");
  } else {
    law.shape = RollingEllipsoid{table.vec3("semi_axes").value_or(Vec3::Ones())};
  }
  return law;
}

Law read_law(Reading& reading, const TableReader& table) {
  using Reader = Law (*)(Reading&, const TableReader&);
  static const std::map<std::string_view, Reader> readers{{"distance", distance},
                                                          {"point-on-line", point_on_line},
                                                          {"point-on-plane", point_on_plane},
                                                          {"point-driver", point_driver},
                                                          {"constant-angle", constant_angle},
                                                          {"constant-velocity", constant_velocity},
                                                          {"coupling", read_coupling},
                                                          {"driver", read_driver},
                                                          {"gear", read_gear},
                                                          {"rack-and-pinion", read_rack_and_pinion},
                                                          {"velocity", read_velocity},
                                                          {"knife-edge", knife_edge},
                                                          {"spin", spin},
                                                          {"rolling-sphere", rolling},
                                                          {"rolling-disk", rolling},
                                                          {"rolling-ellipsoid", rolling}};
  return readers.at(table.text("kind"))(reading, table);
}

}  // namespace

void read_constraints(Reading& reading) {
  for (const TableReader& table : reading.tables("constraint"))
    reading.scene.mechanism.constraints.push_back({table.text("name"), read_law(reading, table)});
}

}  // namespace torsor::scene
