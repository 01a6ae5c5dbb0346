#include <fmt/format.h>

#include "attitude.hpp"
#include "looks.hpp"
#include "reading.hpp"
#include "solids.hpp"

namespace torsor::scene {
namespace {

void read_mass_and_inertia(const TableReader& table, Body& body, Look& look,
                           std::vector<std::string>& notes) {
  if (table.find("solid")) {
    choice(table, {"solid", "mass"});
    choice(table, {"solid", "inertia"});
    if (!table.readable("solid")) return;
    if (const auto total = read_solids(table, notes)) {
      body.mass = total->mass, body.inertia = total->inertia;
      if (look.shapes.empty()) look.shapes = total->shapes;
    }
    return;
  }
  for (const char* key : {"mass", "inertia"})
    if (!table.find(key))
      return table.error({}, fmt::format("{} needs \"{}\" (or solids)", table.where(), key));
  body.mass = table.number("mass").value_or(1);
  body.inertia = table.matrix("inertia").value_or(Mat3::Identity());
}

BodyStart read_body_start(const TableReader& table, std::vector<std::string>& notes) {
  choice(table, {"velocity_world", "velocity_body"});
  choice(table, {"angular_velocity_world", "angular_velocity_body"});
  BodyStart start;
  start.x = table.vec3("position");
  start.R = read_attitude(table, notes);
  start.v_W = table.vec3("velocity_world");
  start.v_B = table.vec3("velocity_body");
  start.omega_W = table.vec3("angular_velocity_world");
  start.Omega = table.vec3("angular_velocity_body");
  return start;
}

}  // namespace

void read_bodies(Reading& reading) {
  Scene& scene = reading.scene;
  for (const TableReader& table : reading.tables("body")) {
    Body body;
    body.name = table.text("name");
    body.group = product_named(table.text("group"), scene.group);
    Look look = read_look(table, scene.notes);
    read_mass_and_inertia(table, body, look, scene.notes);
    scene.mechanism.bodies.push_back(std::move(body));
    scene.looks.push_back(std::move(look));
    scene.start.bodies.push_back(read_body_start(table, scene.notes));
    reading.body_places.push_back({static_cast<int>(scene.mechanism.bodies.size()) - 1});
  }
  read_particles(reading);
}

}  // namespace torsor::scene
