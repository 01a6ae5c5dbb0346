#include "solids.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "attitude.hpp"

namespace torsor::scene {
namespace {

/// A solid in its own axes: volume, and principal moments divided by the mass.
struct Shape {
  double volume = 0;
  Vec3 moments = Vec3::Zero();
};

Vec3 from_squares(const Vec3& a) { return {a.y() + a.z(), a.z() + a.x(), a.x() + a.y()}; }

std::optional<Shape> read_shape(const TableReader& solid) {
  using std::numbers::pi;
  const std::string kind = solid.text("kind");
  if (kind == "sphere") {
    const auto r = solid.number("radius");
    if (!r) return std::nullopt;
    return Shape{4 * pi / 3 * *r * *r * *r, Vec3::Constant(2 * *r * *r / 5)};
  }
  if (kind == "ellipsoid") {
    const auto a = solid.vec3("semi_axes");
    if (!a) return std::nullopt;
    return Shape{4 * pi / 3 * a->prod(), from_squares(a->cwiseAbs2()) / 5};
  }
  if (kind == "box") {
    const auto a = solid.vec3("size");
    if (!a) return std::nullopt;
    return Shape{a->prod(), from_squares(a->cwiseAbs2()) / 12};
  }
  const auto R = solid.number("radius"), r = solid.number("inner_radius"), L = solid.number("length");
  if (!R || !r || !L) return std::nullopt;
  if (*r >= *R) {
    solid.error("inner_radius",
                fmt::format("\"inner_radius\" of {} must be less than its radius", solid.where()));
    return std::nullopt;
  }
  const double squares = *R * *R + *r * *r, across = (3 * squares + *L * *L) / 12;
  return Shape{pi * (*R * *R - *r * *r) * *L, {across, across, squares / 2}};
}

std::optional<double> read_mass(const TableReader& solid, double volume) {
  const auto key = solid.choice({"mass", "density"});
  if (!key) solid.error({}, fmt::format("{} needs \"mass\" or \"density\"", solid.where()));
  const auto value = key ? solid.number(*key) : std::nullopt;
  if (!value) return std::nullopt;
  return *key == "mass" ? *value : *value * volume;
}

struct Part {
  double mass;
  Vec3 centre;
  Mat3 inertia;
};

std::optional<Part> read_part(const TableReader& solid, std::vector<std::string>& notes) {
  const auto shape = read_shape(solid);
  const auto mass = read_mass(solid, shape ? shape->volume : 1);
  const bool round = solid.text("kind") == "sphere";
  const Mat3 R =
      round ? Mat3::Identity() : read_attitude(solid, notes, true).value_or(SO3<>::identity()).matrix();
  const auto centre = solid.vec3("position");
  if (!shape || !mass || !centre) return std::nullopt;
  return Part{*mass, *centre, R * (*mass * shape->moments).asDiagonal() * R.transpose()};
}

/// Inertia of a mass point: m (|r|^2 1 - r r^T).
Mat3 point_inertia(double mass, const Vec3& r) {
  return mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
}

}  // namespace

std::optional<MassAndInertia> read_solids(const TableReader& body, std::vector<std::string>& notes) {
  std::vector<Part> parts;
  bool good = true;
  for (const Node& table : *body.find("solid")->as<Node::Array>()) {
    const auto part = read_part(body.element(table, "solid"), notes);
    good = good && part;
    if (part) parts.push_back(*part);
  }
  if (!good) return std::nullopt;

  MassAndInertia total;
  Vec3 moment = Vec3::Zero();
  double extent = 1;
  for (const Part& part : parts) {
    total.mass += part.mass;
    moment += part.mass * part.centre;
    extent = std::max(extent, part.centre.norm());
  }
  const Vec3 centre = moment / total.mass;
  if (!(centre.norm() <= 1e-9 * extent)) {
    body.error(
        "solid",
        fmt::format(
            "the solids of {} have their centre of mass at ({:.9g}, {:.9g}, {:.9g}), not at the origin; "
            "subtract it from their positions",
            body.where(), centre.x(), centre.y(), centre.z()));
    return std::nullopt;
  }
  for (const Part& part : parts)
    total.inertia += part.inertia + point_inertia(part.mass, part.centre - centre);
  total.inertia = (total.inertia + total.inertia.transpose().eval()) / 2;
  return total;
}

}  // namespace torsor::scene
