#include <doctest/doctest.h>

#include "support.hpp"

namespace torsor {
namespace {

scene::Look look(const std::string& lines) {
  return scene::parse_scene(test::with_top(lines), "scene").looks.at(0);
}

TEST_CASE("a body may have several shapes and a colour") {
  const scene::Look top = look(
      "color = \"#1a2B3c\"\n"
      "shape = [{kind = \"sphere\", radius = \"10 cm\", position = [0, 0, 1]},\n"
      "  {kind = \"ellipsoid\", semi_axes = [1, 2, 3]},\n"
      "  {kind = \"box\", size = [1, 2, 3], rotation_vector = [0, 0, \"pi/2\"]},\n"
      "  {kind = \"cylinder\", radius = 2, inner_radius = 1, length = 3, axis = [0, 1, 0]},\n"
      "  {kind = \"disk\", radius = 2}, {kind = \"disk\", radius = 2, thickness = 1},\n"
      "  {kind = \"rod\", from = [-1, 0, 0], to = [3, 0, 0], radius = 0.5}]\n");
  CHECK(top.color == "#1a2B3c");
  REQUIRE(top.shapes.size() == 7);
  using Kind = scene::Shape::Kind;
  const Kind kinds[] = {Kind::ellipsoid, Kind::ellipsoid, Kind::box,     Kind::cylinder,
                        Kind::cylinder,  Kind::cylinder,  Kind::cylinder};
  const Vec3 sizes[] = {{0.1, 0.1, 0.1}, {1, 2, 3}, {1, 2, 3},  {2, 1, 3},
                        {2, 0, 0.2},     {2, 0, 1}, {0.5, 0, 4}};
  for (std::size_t i = 0; i < 7; ++i) {
    CAPTURE(i);
    CHECK(top.shapes[i].kind == kinds[i]);
    CHECK((top.shapes[i].size - sizes[i]).norm() < 1e-15);
  }
  CHECK(top.shapes[0].X_BS.p == Vec3(0, 0, 1));
  CHECK((top.shapes[2].X_BS.R * Vec3::UnitX().eval() - Vec3::UnitY()).norm() < 1e-15);
  CHECK((top.shapes[3].X_BS.R * Vec3::UnitZ().eval() - Vec3::UnitY()).norm() < 1e-15);
  CHECK(top.shapes[6].X_BS.p == Vec3(1, 0, 0));
  CHECK((top.shapes[6].X_BS.R * Vec3::UnitZ().eval() - Vec3::UnitX()).norm() < 1e-15);
}

TEST_CASE("a body without shapes is drawn by its solids") {
  const std::string start = "[run]\nend = 1\n[[body]]\nname = \"top\"\n";
  const std::string solid = "[[body.solid]]\nkind = \"box\"\nmass = 1\nsize = [1, 2, 3]\n";
  const auto shapes = [&](const std::string& text) {
    return scene::parse_scene(text, "scene").looks.at(0).shapes;
  };
  REQUIRE(shapes(start + solid).size() == 1);
  CHECK(shapes(start + solid)[0].size == Vec3(1, 2, 3));
  const auto own = shapes(start + "shape = [{kind = \"sphere\", radius = 7}]\n" + solid);
  REQUIRE(own.size() == 1);
  CHECK(own[0].size == Vec3(7, 7, 7));
}

TEST_CASE("every body has a look, whatever its kind") {
  const scene::Scene scene =
      scene::parse_scene(test::with_top() +
                             "[[particle]]\nname = \"bead\"\nmass = 1\ncolor = \"#ffffff\"\n"
                             "[[particle]]\nname = \"a\"\nmass = 1\nposition = [0, 0, 0]\n"
                             "[[particle]]\nname = \"b\"\nmass = 1\nposition = [1, 0, 0]\n"
                             "[[rigid_particles]]\nname = \"dumbbell\"\nnodes = [\"a\", \"b\"]\n",
                         "scene");
  REQUIRE(scene.looks.size() == scene.mechanism.bodies.size());
  CHECK(scene.looks[1].color == "#ffffff");
}

TEST_CASE("shapes do not change the mechanism") {
  const scene::Scene with =
      scene::parse_scene(test::with_top("shape = [{kind = \"sphere\", radius = 7}]\n"), "scene");
  const scene::Scene without = scene::parse_scene(test::with_top(), "scene");
  CHECK(with.mechanism.bodies[0].mass == without.mechanism.bodies[0].mass);
  CHECK(with.mechanism.bodies[0].inertia == without.mechanism.bodies[0].inertia);
}

}  // namespace
}  // namespace torsor
