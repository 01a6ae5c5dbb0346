#include "solids.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "attitude.hpp"

namespace torsor::scene {
namespace {

/// A solid in its own axes: volume (m^3), principal moments divided by the mass (m^2), and the shape that
/// pictures show. A point has no shape.
struct Solid {
  double volume = 0;
  Vec3 moments = Vec3::Zero();
  std::optional<Shape> shape = {};
};

Vec3 from_squares(const Vec3& a) { return {a.y() + a.z(), a.z() + a.x(), a.x() + a.y()}; }

std::optional<Solid> read_solid(const TableReader& solid) {
  using std::numbers::pi;
  const std::string kind = solid.text("kind");
  if (kind == "point") return Solid{};
  if (kind == "sphere") {
    const auto r = solid.number("radius");
    if (!r) return std::nullopt;
    return Solid{4 * pi / 3 * *r * *r * *r, Vec3::Constant(2 * *r * *r / 5),
                 Shape{Shape::Kind::ellipsoid, Vec3::Constant(*r)}};
  }
  if (kind == "ellipsoid") {
    const auto a = solid.vec3("semi_axes");
    if (!a) return std::nullopt;
    return Solid{4 * pi / 3 * a->prod(), from_squares(a->cwiseAbs2()) / 5, Shape{Shape::Kind::ellipsoid, *a}};
  }
  if (kind == "box") {
    const auto a = solid.vec3("size");
    if (!a) return std::nullopt;
    return Solid{a->prod(), from_squares(a->cwiseAbs2()) / 12, Shape{Shape::Kind::box, *a}};
  }
  const auto R = solid.number("radius"), r = solid.number("inner_radius"), L = solid.number("length");
  if (!R || !r || !L) return std::nullopt;
  if (*r >= *R) {
    solid.error("inner_radius",
                fmt::format("\"inner_radius\" of {} must be less than its radius", solid.where()));
    return std::nullopt;
  }
  const double squares = *R * *R + *r * *r, across = (3 * squares + *L * *L) / 12;
  return Solid{pi * (*R * *R - *r * *r) * *L,
               {across, across, squares / 2},
               Shape{Shape::Kind::cylinder, {*R, *r, *L}}};
}

std::optional<double> read_mass(const TableReader& solid, double volume) {
  if (solid.text("kind") == "point") return solid.find("mass") ? solid.number("mass") : std::nullopt;
  const auto key = choice(solid, {"mass", "density"});
  if (!key) solid.error({}, fmt::format("{} needs \"mass\" or \"density\"", solid.where()));
  const auto value = key ? solid.number(*key) : std::nullopt;
  if (!value) return std::nullopt;
  const double mass = *key == "mass" ? *value : *value * volume;
  if (mass > 0 && std::isfinite(mass)) return mass;
  solid.error(*key,
              fmt::format("{} has a mass of {:.3g} kg; it must be positive and finite", solid.where(), mass));
  return std::nullopt;
}

struct Part {
  double mass;
  Vec3 centre;
  Mat3 inertia;
  std::optional<Shape> shape;
};

std::optional<Part> read_part(const TableReader& solid, std::vector<std::string>& notes) {
  const std::string kind = solid.text("kind");
  auto read = read_solid(solid);
  const auto mass = read_mass(solid, read ? read->volume : 1);
  SO3<> turn = SO3<>::identity();
  if (kind != "sphere" && kind != "point") turn = read_attitude(solid, notes, true).value_or(turn);
  const Mat3 R = turn.matrix();
  const auto centre = solid.vec3("position");
  if (!read || !mass || !centre) return std::nullopt;
  if (read->shape) read->shape->X_BS = {turn, *centre};
  return Part{*mass, *centre, R * (*mass * read->moments).asDiagonal() * R.transpose(), read->shape};
}

/// Inertia of a point mass: m (|r|^2 1 - r r^T).
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
  double extent = 0;  // m
  for (const Part& part : parts) {
    total.mass += part.mass;
    moment += part.mass * part.centre;
    extent = std::max({extent, part.centre.norm(), std::sqrt(part.inertia.trace() / part.mass)});
  }
  const Vec3 centre = moment / total.mass;
  if (!(centre.norm() <= 1e-9 * extent)) {
    body.error(
        "solid",
        fmt::format(
            "the solids of {} have their centre of mass at ({:.15g}, {:.15g}, {:.15g}), not at the origin; "
            "subtract it from their positions",
            body.where(), centre.x(), centre.y(), centre.z()));
    return std::nullopt;
  }
  for (const Part& part : parts) {
    total.inertia += part.inertia + point_inertia(part.mass, part.centre - centre);
    if (part.shape) total.shapes.push_back(*part.shape);
  }
  total.inertia = (total.inertia + total.inertia.transpose().eval()) / 2;
  return total;
}

}  // namespace torsor::scene
