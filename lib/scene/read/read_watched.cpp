#include <fmt/format.h>

#include "attitude.hpp"
#include "reading.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::scene {
namespace {

EventSpec::Quantity quantity(const std::string& name) {
  if (name == "expression") return EventSpec::Quantity::expression;
  if (name == "joint-rate") return EventSpec::Quantity::joint_rate;
  if (name == "point-position") return EventSpec::Quantity::point_position;
  if (name == "point-velocity") return EventSpec::Quantity::point_velocity;
  return EventSpec::Quantity::joint_coordinate;
}

/// Checks the keys of an event of an expression.
void check_expression_keys(const TableReader& table) {
  for (const char* key : {"joint", "coordinate", "point", "along", "of"})
    if (table.find(key))
      table.error(key, fmt::format("\"{}\" of {} does not apply to an expression", key, table.where()));
  if (!table.find("expression")) table.error({}, fmt::format("{} needs \"expression\"", table.where()));
}

void check_keys(const TableReader& table, bool of_joint) {
  if (table.find("expression"))
    table.error("expression",
                fmt::format("\"expression\" of {} is for quantity = \"expression\"", table.where()));
  if (table.find("of"))
    table.error("of",
                fmt::format("\"of\" of {} does not apply to a {}", table.where(), table.text("quantity")));
  for (const char* key : {"joint", "coordinate", "point", "along"}) {
    const bool for_joint = key == std::string_view("joint") || key == std::string_view("coordinate");
    if (table.find(key) && for_joint != of_joint)
      table.error(key, fmt::format("\"{}\" of {} does not apply to a {}", key, table.where(),
                                   table.text("quantity")));
  }
  const char* needed = of_joint ? "joint" : "point";
  if (!table.find(needed)) table.error({}, fmt::format("{} needs \"{}\"", table.where(), needed));
}

/// The unit of the watched joint quantity. Reports a coordinate that the joint does not have.
std::string_view joint_unit(const Reading& reading, const TableReader& table, const EventSpec& event) {
  const Joint& joint = reading.scene.mechanism.joints[event.joint];
  const bool rate = event.quantity == EventSpec::Quantity::joint_rate;
  const auto units = coordinate_units(joint.kind);
  if (!rate && joint_type(joint.kind).quaternion)
    table.error("joint",
                fmt::format("{}: joint \"{}\" has no independent coordinates; watch a rate or a point",
                            table.where(), joint.name));
  else if (static_cast<std::size_t>(event.coordinate) >= units.size())
    table.error("coordinate",
                fmt::format("{}: joint \"{}\" has {} {}{}{}", table.where(), joint.name, units.size(),
                            rate ? "rate" : "coordinate", units.size() == 1 ? "" : "s",
                            units.empty() ? "" : ", counted from 0"));
  else
    return units[event.coordinate] == "m" ? (rate ? "m/s" : "m") : (rate ? "rad/s" : "rad");
  return "rad";
}

}  // namespace

void read_points(Reading& reading) {
  for (const TableReader& table : reading.tables("point"))
    reading.scene.points.push_back({table.text("name"), reading.point(table)});
}

void read_events(Reading& reading) {
  for (const TableReader& table : reading.tables("event")) {
    EventSpec event;
    event.name = table.text("name");
    event.quantity = quantity(table.text("quantity"));
    const bool of_joint = event.quantity == EventSpec::Quantity::joint_coordinate ||
                          event.quantity == EventSpec::Quantity::joint_rate;
    if (const std::string quantity = table.text("quantity"); quantity == "coordinate" || quantity == "rate")
      table.error("quantity", fmt::format("\"quantity\" of {}: \"{}\" is for a [chart]; for bodies use "
                                          "joint-coordinate, joint-rate, point-position or point-velocity",
                                          table.where(), quantity));
    else if (event.quantity == EventSpec::Quantity::expression)
      check_expression_keys(table);
    else if (table.readable("quantity"))
      check_keys(table, of_joint);
    std::string_view unit = event.quantity == EventSpec::Quantity::point_position ? "m" : "m/s";
    if (event.quantity == EventSpec::Quantity::expression) {
      event.expression = table.of_state(reading).time_function("expression");
      unit = {};
    } else if (of_joint) {
      event.coordinate = static_cast<int>(table.integer("coordinate"));
      const int joint = reading.known(table, "joint", reading.joints, "joint");
      event.joint = std::max(joint, 0);
      unit = joint < 0 ? "rad" : joint_unit(reading, table, event);
    } else {
      const int point = reading.known(table, "point", reading.points, "point");
      if (point >= 0) event.point = reading.scene.points[point].point;
      event.direction_W = read_direction(table, "along");
    }
    event.value = table.of_state(reading).time_function("value", unit);
    const std::string crossing = table.text("crossing");
    event.direction = crossing == "rising" ? 1 : crossing == "falling" ? -1 : 0;
    event.stop = table.text("action") == "stop";
    reading.scene.events.push_back(std::move(event));
  }
}

}  // namespace torsor::scene
