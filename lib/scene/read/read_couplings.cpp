#include "read_couplings.hpp"

#include <fmt/format.h>

#include "attitude.hpp"

namespace torsor::scene {
namespace {

using Law = decltype(Constraint::law);
using Quantity = VelocityLaw::Term::Quantity;

double ratio(const TableReader& table, std::string_view key = "ratio") {
  const double value = table.number(key).value_or(1);
  if (value == 0) table.error(key, fmt::format("\"{}\" of {} must not be 0", key, table.where()));
  return value;
}

/// The elements of "term"; none if "term" cannot be read.
std::vector<TableReader> terms(const TableReader& table) {
  std::vector<TableReader> all;
  if (!table.readable("term")) return all;
  for (const Node& term : *table.find("term")->as<Node::Array>()) all.push_back(table.element(term, "term"));
  return all;
}

/// The law follower - by * leader = offset. Checks the units of the two coordinates, unless they are empty.
Law coupled(const Reading& reading, const TableReader& table, const std::string& leader,
            const std::string& follower, double by, std::string_view leader_unit,
            std::string_view follower_unit) {
  const auto a = read_coordinate(reading, table, leader, leader + "_coordinate", false);
  const auto b = read_coordinate(reading, table, follower, follower + "_coordinate", false);
  const auto check = [&](const std::string& key, const auto& found, std::string_view unit) {
    if (found && !unit.empty() && found->unit != unit)
      table.error(key, fmt::format("{}: joint \"{}\" does not {} in that coordinate", table.where(),
                                   table.text(key), unit == "m" ? "slide" : "turn"));
  };
  check(leader, a, leader_unit);
  check(follower, b, follower_unit);
  const std::string_view unit = b ? b->unit : "m";
  const auto [joint_a, coordinate_a, unit_a] = a.value_or(NamedCoordinate());
  const auto [joint_b, coordinate_b, unit_b] = b.value_or(NamedCoordinate());
  return JointCoupling{{{joint_b, coordinate_b, 1}, {joint_a, coordinate_a, -by}},
                       table.time_function("offset", unit)};
}

VelocityLaw::Term velocity_term(const Reading& reading, const TableReader& table, std::string_view& unit) {
  VelocityLaw::Term term;
  const std::string kind = table.text("kind");
  term.ratio = ratio(table);
  if (kind == "joint-rate") {
    term.quantity = Quantity::joint_rate;
    const auto named = read_coordinate(reading, table, "joint", "coordinate", true);
    const auto [joint, coordinate, length_or_angle] = named.value_or(NamedCoordinate());
    term.joint = joint, term.coordinate = coordinate;
    unit = length_or_angle == "m" ? "m/s" : "rad/s";
    return term;
  }
  const bool angular = kind == "angular-velocity";
  term.quantity = angular ? Quantity::angular_velocity : Quantity::point_velocity;
  term.point.body = reading.body(table, "body");
  if (!angular) term.point.p = table.vec3("position").value_or(Vec3::Zero());
  term.c = term.ratio * read_direction(table, "direction");
  term.ratio = 1;
  term.body_axes = table.text("axes") == "body";
  unit = angular ? "rad/s" : "m/s";
  return term;
}

}  // namespace

Law read_coupling(Reading& reading, const TableReader& table) {
  JointCoupling law;
  std::string_view unit = "m";
  for (const TableReader& term : terms(table)) {
    const auto named = read_coordinate(reading, term, "joint", "coordinate", false);
    const auto [joint, coordinate, its_unit] = named.value_or(NamedCoordinate());
    if (law.terms.empty()) unit = its_unit;
    law.terms.push_back({joint, coordinate, ratio(term)});
  }
  law.value = table.time_function("value", unit);
  return law;
}

Law read_driver(Reading& reading, const TableReader& table) {
  const auto named = read_coordinate(reading, table, "joint", "coordinate", false);
  const auto [joint, coordinate, unit] = named.value_or(NamedCoordinate());
  return JointCoupling{{{joint, coordinate, 1}}, table.time_function("value", unit)};
}

Law read_gear(Reading& reading, const TableReader& table) {
  return coupled(reading, table, "leader", "follower", ratio(table), "", "");
}

Law read_rack_and_pinion(Reading& reading, const TableReader& table) {
  return coupled(reading, table, "pinion", "rack", ratio(table, "radius"), "rad", "m");
}

Law read_velocity(Reading& reading, const TableReader& table) {
  VelocityLaw law;
  std::string_view unit = "m/s";
  for (const TableReader& term : terms(table)) {
    std::string_view its_unit;
    law.terms.push_back(velocity_term(reading, term, its_unit));
    if (law.terms.size() == 1) unit = its_unit;
  }
  law.value = table.time_function("value", unit);
  return law;
}

}  // namespace torsor::scene
