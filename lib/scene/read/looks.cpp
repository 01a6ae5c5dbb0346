#include "looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "attitude.hpp"

namespace torsor::scene {
namespace {

/// A cylinder, tube or disk along its own z axis. `length_key`: "length", or "thickness" for a disk.
std::optional<Shape> read_cylinder(const TableReader& table, std::string_view length_key) {
  const auto radius = table.number("radius");
  const bool tube = length_key == "length";
  const auto bore = tube ? table.number("inner_radius") : std::optional(0.);
  if (!radius || !bore) return std::nullopt;
  const auto length = table.find(length_key) ? table.number(length_key) : std::optional(*radius / 10);
  if (!length) return std::nullopt;
  if (*bore >= *radius) {
    table.error("inner_radius",
                fmt::format("\"inner_radius\" of {} must be less than its radius", table.where()));
    return std::nullopt;
  }
  return Shape{Shape::Kind::cylinder, {*radius, *bore, *length}};
}

std::optional<Shape> read_rod(const TableReader& table) {
  const auto from = table.vec3("from"), to = table.vec3("to");
  const auto radius = table.number("radius");
  if (!from || !to || !radius) return std::nullopt;
  const Vec3 along = *to - *from;
  const double length = along.norm();
  if (!(length > 0)) {
    table.error("to", fmt::format("{} must have two different ends", table.where()));
    return std::nullopt;
  }
  return Shape{
      Shape::Kind::cylinder, {*radius, 0, length}, {rotation_from_z(along / length), (*from + *to) / 2}};
}

std::optional<Shape> read_shape(const TableReader& table, std::vector<std::string>& notes) {
  const std::string kind = table.text("kind");
  if (kind == "rod") return read_rod(table);
  std::optional<Shape> shape;
  if (kind == "sphere") {
    if (const auto r = table.number("radius")) shape = Shape{Shape::Kind::ellipsoid, Vec3::Constant(*r)};
  } else if (kind == "ellipsoid") {
    if (const auto a = table.vec3("semi_axes")) shape = Shape{Shape::Kind::ellipsoid, *a};
  } else if (kind == "box") {
    if (const auto a = table.vec3("size")) shape = Shape{Shape::Kind::box, *a};
  } else {
    shape = read_cylinder(table, kind == "disk" ? "thickness" : "length");
  }
  SE3<> frame = SE3<>::identity();
  frame.p = table.vec3("position").value_or(Vec3::Zero());
  if (kind != "sphere") frame.R = read_attitude(table, notes, true).value_or(SO3<>::identity());
  if (shape) shape->X_BS = frame;
  return shape;
}

}  // namespace

std::string read_color(const TableReader& body) {
  if (!body.readable("color")) return {};
  std::string color = body.text("color");
  const auto hexadecimal = [](unsigned char c) { return std::isxdigit(c) != 0; };
  if (color.size() == 7 && color[0] == '#' && std::all_of(color.begin() + 1, color.end(), hexadecimal))
    return color;
  body.error("color", fmt::format("\"color\" of {} must be \"#rrggbb\", two hexadecimal digits each for red, "
                                  "green and blue, got \"{:.40}\"",
                                  body.where(), color));
  return {};
}

Look read_look(const TableReader& body, std::vector<std::string>& notes) {
  Look look;
  look.color = read_color(body);
  if (!body.readable("shape")) return look;
  for (const Node& table : *body.find("shape")->as<Node::Array>())
    if (const auto shape = read_shape(body.element(table, "shape"), notes)) look.shapes.push_back(*shape);
  return look;
}

}  // namespace torsor::scene
