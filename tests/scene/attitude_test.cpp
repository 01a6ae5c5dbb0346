#include <doctest/doctest.h>

#include <Eigen/Geometry>

#include "support.hpp"

namespace torsor {
namespace {

using test::with_top;

SO3<> attitude(const std::string& line) {
  return *scene::parse_scene(with_top(line), "scene").start.bodies[0].R;
}

/// The product R1(a) R2(b) R3(c) of rotation matrices.
Mat3 turns(const std::string& axes, const Vec3& angles) {
  Mat3 R = Mat3::Identity();
  for (int i = 0; i < 3; ++i)
    R = R *
        Eigen::AngleAxisd(angles[i], Vec3::Unit(axes[static_cast<std::size_t>(i)] - 'x')).toRotationMatrix();
  return R;
}

std::string list(const Vec3& angles) {
  return "[" + std::to_string(angles[0]) + ", " + std::to_string(angles[1]) + ", " +
         std::to_string(angles[2]) + "]";
}

}  // namespace

TEST_CASE("each of the twelve Euler sequences rotates about axes that move with the body") {
  for (const char* axes :
       {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"}) {
    CAPTURE(axes);
    for (const Vec3& angles : {Vec3(0.3, -1.1, 2.5), Vec3(-3, 0.5, 0.25), Vec3(0, 0, 1)}) {
      const SO3<> R =
          attitude("euler = {axes = \"" + std::string(axes) + "\", angles = " + list(angles) + "}\n");
      CHECK((R.matrix() - turns(axes, angles)).norm() < 1e-14);
    }
  }
}

TEST_CASE("roll, pitch and yaw rotate about fixed axes, and zxz has its own key") {
  const Vec3 angles(0.3, -1.1, 2.5);
  CHECK((attitude("roll_pitch_yaw = " + list(angles)).matrix() - turns("zyx", angles.reverse())).norm() <
        1e-14);
  CHECK((attitude("euler_zxz = " + list(angles)).matrix() - turns("zxz", angles)).norm() < 1e-14);
  CHECK((attitude("roll_pitch_yaw = [\"90 deg\", 0, \"90 deg\"]") * Vec3(1, 2, 3) - Vec3(3, 1, 2)).norm() <
        1e-14);
}

TEST_CASE("an axis nearly opposite to z keeps its direction, however small its other components are") {
  for (const char* x : {"0", "1e-300", "1e-161", "1e-155", "1e-140", "1e-9"}) {
    CAPTURE(x);
    const scene::Scene scene = scene::parse_scene(
        with_top("[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"top\"\naxis = [" +
                 std::string(x) + ", 0, -1]\n"),
        "scene");
    CHECK((scene.mechanism.joints[0].X_PF.R * Vec3(0, 0, 1) - Vec3(std::atof(x), 0, -1).normalized()).norm() <
          1e-15);
  }
}

TEST_CASE("Euler angles give attitudes of frames, joints and solids") {
  const scene::Scene scene =
      scene::parse_scene(with_top("[[joint]]\nname = \"ball\"\nkind = \"spherical\"\nchild = \"top\"\n"
                                  "child_frame.euler = {axes = \"xyz\", angles = [\"90 deg\", 0, "
                                  "0]}\nroll_pitch_yaw = [0, 0, \"90 deg\"]\n"
                                  "[[body]]\nname = \"tube\"\n[[body.solid]]\nkind = \"cylinder\"\nmass = "
                                  "12\nradius = 2\ninner_radius = 1\n"
                                  "length = 6\neuler = {axes = \"yzx\", angles = [\"90 deg\", 0, 0]}\n"),
                         "scene");
  CHECK((scene.mechanism.joints[0].X_CM.R * Vec3(1, 2, 3) - Vec3(1, -3, 2)).norm() < 1e-14);
  CHECK((scene.start.joints[0].q->tail<4>() - Eigen::Vector4d(0, 0, 1, 1) / std::sqrt(2)).norm() < 1e-14);
  CHECK((scene.mechanism.bodies[1].inertia - Mat3(Vec3(30, 51, 51).asDiagonal())).norm() < 1e-13);
}

TEST_CASE("point masses are valid solids of a body") {
  const auto body = [](const std::string& solids) {
    return scene::parse_scene("[run]\nend = 1\n[[body]]\nname = \"frame\"\n" + solids, "scene")
        .mechanism.bodies[0];
  };
  const auto point = [](const std::string& place) {
    return "[[body.solid]]\nkind = \"point\"\nmass = \"500 g\"\nposition = " + place + "\n";
  };
  // In an octahedron, each pair at the distance r from the centre adds 2 m r^2 about the two other axes.
  const Body octahedron = body(point("[1, 0, 0]") + point("[-1, 0, 0]") + point("[0, 2, 0]") +
                               point("[0, -2, 0]") + point("[0, 0, 3]") + point("[0, 0, -3]"));
  CHECK(octahedron.mass == 3);
  CHECK((octahedron.inertia - Mat3(Vec3(4 + 9, 1 + 9, 1 + 4).asDiagonal())).norm() < 1e-14);
  // A ball of 1 kg with a point of 500 g on each side.
  const Body both = body("[[body.solid]]\nkind = \"sphere\"\nmass = 1\nradius = 1\n" + point("[0, 0, 1]") +
                         point("[0, 0, -1]"));
  CHECK((both.inertia - Mat3(Vec3(1.4, 1.4, 0.4).asDiagonal())).norm() < 1e-14);
}

}  // namespace torsor
