#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <thread>

#include "support.hpp"

namespace torsor {
namespace {

/// Two bodies on a hinge and a slider, and further lines.
std::string linkage(const std::string& lines) {
  return test::with_top() + R"x(
[[body]]
name = "sled"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "hinge"
kind = "revolute"
child = "top"
[[joint]]
name = "slide"
kind = "prismatic"
child = "sled"
)x" + lines;
}

/// The law of a [[constraint]] with the given lines.
template <class Law>
Law law_of(const std::string& kind, const std::string& lines, const scene::Overrides& overrides = {}) {
  const std::string head = "[[constraint]]\nname = \"law\"\nkind = \"" + kind + "\"\n";
  const scene::Scene scene = scene::parse_scene(linkage(head + lines), "scene", overrides);
  REQUIRE(scene.mechanism.constraints.size() == 1);
  return std::get<Law>(scene.mechanism.constraints.front().law);
}

TEST_CASE("a distance joins two points, whose positions may be functions of time") {
  const auto law = law_of<Distance>("distance", R"x(from.position = [0, "1 cm", "0.1*sin(2*t)"]
to = {body = "sled", position = [1, 0, 0]}
length = "t + 2")x");
  CHECK(law.a.body == world);
  CHECK(law.a.p[1](0) == doctest::Approx(0.01));
  CHECK(law.a.p[2].with_derivatives(0).rate == doctest::Approx(0.2));
  CHECK(law.b.body == 1);
  CHECK(law.b.p[0](0) == 1);
  CHECK(law.length.with_derivatives(1).value == 3);
}

TEST_CASE("points on lines and on planes, and driven points, are read") {
  const auto line = law_of<PointOnLine>(
      "point-on-line",
      "point = {body = \"top\", position = [1, 0, 0]}\nline = {body = \"sled\", direction = [0, 0, 5]}");
  CHECK(line.point.body == 0);
  CHECK(line.origin.body == 1);
  CHECK(line.direction == Vec3::UnitZ());
  const auto plane = law_of<PointOnPlane>("point-on-plane",
                                          "point.body = \"top\"\nplane.normal = [0, 2, 0]\ndistance = \"t\"");
  CHECK(plane.normal == Vec3::UnitY());
  CHECK(plane.distance(3) == 3);
  const auto driver = law_of<PointDriver>(
      "point-driver", "point.body = \"top\"\ntarget.position = [\"t\", 0, 0]\nalong = [\"x\", \"z\"]");
  CHECK(driver.along == std::array{true, false, true});
  CHECK(driver.target.p[0](2) == 2);
}

TEST_CASE("angles between directions and homokinetic joints are read") {
  const auto angle = law_of<ConstantAngle>(
      "constant-angle",
      "from.direction = [0, 0, 3]\nto = {body = \"top\", direction = [0, 1, 0]}\nangle = \"90 deg\"");
  CHECK(angle.body_a == world);
  CHECK(angle.u_b == Vec3::UnitY());
  CHECK(angle.angle(0) == doctest::Approx(std::acos(0.)));
  const auto joint = law_of<ConstantVelocityJoint>(
      "constant-velocity",
      "parent = \"sled\"\nchild = \"top\"\nchild_frame.position = [0, 0, 1]\naxis = [0, 1, 0]");
  CHECK(joint.parent == 1);
  CHECK(joint.X_CM.p == Vec3::UnitZ());
  CHECK((joint.X_PF.R * Vec3::UnitZ()).isApprox(Vec3::UnitY(), 1e-15));
}

TEST_CASE("couplings between joint coordinates are read") {
  const auto driver = law_of<JointCoupling>("driver", "joint = \"hinge\"\nvalue = \"90 deg\"");
  REQUIRE(driver.terms.size() == 1);
  CHECK(driver.terms[0].joint == 0);
  CHECK(driver.value(0) == doctest::Approx(std::acos(0.)));
  // rack = radius pinion + offset
  const auto rack = law_of<JointCoupling>(
      "rack-and-pinion", "pinion = \"hinge\"\nrack = \"slide\"\nradius = \"5 cm\"\noffset = \"1 mm\"");
  REQUIRE(rack.terms.size() == 2);
  CHECK(rack.terms[0].joint == 1);
  CHECK(rack.terms[0].ratio == 1);
  CHECK(rack.terms[1].joint == 0);
  CHECK(rack.terms[1].ratio == -0.05);
  CHECK(rack.value(0) == 1e-3);
  const auto sum = law_of<JointCoupling>(
      "coupling", "term = [{joint = \"slide\"}, {joint = \"hinge\", ratio = -0.5}]\nvalue = \"2 cm\"");
  REQUIRE(sum.terms.size() == 2);
  CHECK(sum.terms[1].ratio == -0.5);
  CHECK(sum.value(0) == doctest::Approx(0.02));
}

TEST_CASE("constraints on velocities are read") {
  using Quantity = VelocityLaw::Term::Quantity;
  const auto edge =
      law_of<VelocityLaw>("knife-edge", "body = \"sled\"\nposition = [0.1, 0, 0]\nnormal = [0, 3, 0]");
  REQUIRE(edge.terms.size() == 1);
  CHECK(edge.terms[0].quantity == Quantity::point_velocity);
  CHECK(edge.terms[0].point.body == 1);
  CHECK(edge.terms[0].c == Vec3::UnitY());
  CHECK(edge.terms[0].body_axes);
  const auto spin =
      law_of<VelocityLaw>("spin", "body = \"top\"\ndirection = [0, 0, 1]\naxes = \"world\"\nvalue = 3");
  CHECK(spin.terms[0].quantity == Quantity::angular_velocity);
  CHECK_FALSE(spin.terms[0].body_axes);
  CHECK(spin.value(0) == 3);
  const auto sum = law_of<VelocityLaw>("velocity", R"x(value = 0.01
term = [{kind = "point-velocity", body = "sled", direction = [2, 0, 0], ratio = 3},
         {kind = "joint-rate", joint = "hinge", ratio = -0.1}])x");
  CHECK(sum.terms[0].c == 3 * Vec3::UnitX());
  CHECK(sum.terms[1].quantity == Quantity::joint_rate);
  CHECK(sum.terms[1].ratio == -0.1);
  CHECK(sum.value(0) == doctest::Approx(0.01));
}

TEST_CASE("rolling bodies and their surfaces are read") {
  const auto sphere =
      law_of<Rolling>("rolling-sphere", "body = \"top\"\nradius = \"10 cm\"\nplane.angle = \"7*t\"");
  CHECK(std::get<RollingSphere>(sphere.shape).radius == doctest::Approx(0.1));
  CHECK(sphere.plane.angle(2) == 14);
  CHECK(sphere.plane.axis == Vec3::UnitZ());
  const auto disk = law_of<Rolling>("rolling-disk", R"x(body = "top"
radius = 2
edge = 0.1
upright = true
plane.normal = [0, 1, 0])x");
  CHECK(std::get<RollingDisk>(disk.shape).axis == Vec3::UnitY());
  CHECK(std::get<RollingDisk>(disk.shape).edge == 0.1);
  CHECK(disk.upright);
  CHECK(disk.plane.axis == Vec3::UnitY());  // by default, the plane rotates about its normal
  const auto ellipsoid = law_of<Rolling>("rolling-ellipsoid", "body = \"top\"\nsemi_axes = [1, 2, 3]");
  CHECK(std::get<RollingEllipsoid>(ellipsoid.shape).semi_axes == Vec3(1, 2, 3));
}

TEST_CASE("constraints can be repeated, and overrides find them by name") {
  const std::string text = test::with_top("repeat = 2\n") + R"x([[constraint]]
repeat = 2
name = "rod{i}"
kind = "distance"
from.position = ["{i}", 0, 0]
to.body = "top{i}"
length = "1 + {i}"
)x";
  std::string numbered = text;
  numbered.replace(numbered.find("\"top\""), 5, "\"top{i}\"");
  const scene::Scene scene = scene::parse_scene(numbered, "scene", {{"constraint.rod1.length", "5"}});
  REQUIRE(scene.mechanism.constraints.size() == 2);
  CHECK(scene.mechanism.constraints[1].name == "rod1");
  CHECK(std::get<Distance>(scene.mechanism.constraints[0].law).length(0) == 1);
  CHECK(std::get<Distance>(scene.mechanism.constraints[1].law).length(0) == 5);
  CHECK(std::get<Distance>(scene.mechanism.constraints[1].law).b.body == 1);
}

TEST_CASE("the treatment of constraints is read") {
  const scene::Scene scene = scene::parse_scene(R"x([integrator]
formulation = "absolute"
constraints = "dynamic"
consistent = "project"
cut = ["slide"]
[dynamic]
rate = 50
damping_ratio = 0.7
floors = false
[friction]
mu = 2
eps = 1e-3
)x" + linkage(""),
                                                "scene");
  CHECK(scene.formulation == Formulation::absolute);
  CHECK(scene.run.constraints == Treatment::dynamic);
  CHECK(scene.consistent == Consistency::project);
  CHECK(scene.cut == std::vector{1});
  CHECK(scene.run.treatment.rate == 50);
  CHECK(scene.run.treatment.damping_ratio == 0.7);
  CHECK_FALSE(scene.run.treatment.floors);
  CHECK(scene.run.treatment.mu == 2);
  CHECK(scene.run.treatment.eps == 1e-3);
  const scene::Overrides alpha = {{"integrator.method", "generalized-alpha"},
                                  {"integrator.step", "0.1"},
                                  {"integrator.spectral_radius", "0.5"}};
  CHECK(scene::parse_scene(linkage(""), "scene", alpha).run.spectral_radius == 0.5);
}

TEST_CASE("a note warns of unstable steps with index-3 and a spectral radius near 1") {
  const auto notes = [](const std::string& joint, const char* treatment, const char* radius) {
    const std::string pendulum = R"x(
[run]
end = 1
[integrator]
method = "generalized-alpha"
step = 0.01
[[body]]
name = "rod"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "pivot"
kind = "spherical"
child = "rod"
child_frame.position = [1, 0, 0]
)x" + joint;
    const scene::Scene scene = scene::parse_scene(
        pendulum, "scene", {{"integrator.constraints", treatment}, {"integrator.spectral_radius", radius}});
    return std::visit([](const auto& one) { return one.notes; }, prepare(scene));
  };
  const std::string constrained = R"x(
[[constraint]]
name = "guide"
kind = "distance"
from.body = "rod"
from.position = [-1, 0, 0]
to.position = [0, 5, 0]
length = "sqrt(29)"
)x";
  CHECK(notes(constrained, "index-3", "0.96") ==
        std::vector<std::string>{
            "\"spectral_radius\" of [integrator]: above 0.95, steps with index-3 may be unstable"});
  CHECK(notes(constrained, "index-3", "0.95").empty());
  CHECK(notes(constrained, "index-2", "0.96").empty());
  CHECK(notes("", "index-3", "0.96").empty());
}

TEST_CASE(
    "gears give the turns of the joints that follow from a given one, in whatever order they are listed") {
  const std::string joints = R"x(
[run]
end = 1
[integrator]
formulation = "absolute"
[[body]]
repeat = 4
name = "wheel{i}"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "axle0"
kind = "revolute"
child = "wheel0"
coordinates = 2
[[joint]]
repeat = 3
name = "axle{i+1}"
kind = "revolute"
child = "wheel{i+1}"
parent_frame.position = ["{i+1}", 0, 0]
)x";
  const auto gear = [](int leader) {
    const std::string i = std::to_string(leader), next = std::to_string(leader + 1);
    return "[[constraint]]\nkind = \"gear\"\nname = \"gear" + i + "\"\nleader = \"axle" + i +
           "\"\nfollower = \"axle" + next + "\"\nratio = 10\n";
  };
  for (const auto& [first, second, third] :
       {std::array{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}}) {
    const auto ready = scene::make_model(test::parsed(joints + gear(first) + gear(second) + gear(third)));
    for (int i = 0; i < 4; ++i)
      CHECK(ready.model.mechanism().joints[i].angles_near[0] ==
            doctest::Approx(2 * std::pow(10, i)).epsilon(1e-14));
  }
}

TEST_CASE("project moves an inconsistent start onto its constraints") {
  const std::string text =
      test::with_top("position = [0, 0, 3]\nquaternion_wxyz = [1, 0, 0, 0]\n") + R"x([[constraint]]
name = "rod"
kind = "distance"
from = {}
to.body = "top"
length = 1
)x";
  CHECK(test::complaints(text).find("constraint \"rod\": the start positions violate it by 2 m") !=
        std::string::npos);
  const scene::ReadyModel moved =
      scene::make_model(scene::parse_scene(text, "scene", {{"integrator.consistent", "project"}}));
  CHECK(moved.start.q.head<3>().isApprox(Vec3::UnitZ(), 1e-12));
  CHECK(moved.notes.size() == 1);
}

TEST_CASE("threads that share a model may call a function of a program at the same time") {
  std::function<double(double)> cube;
  const auto call = [&cube](const double* x) {
    if (x[0] == 3) std::thread([&] { CHECK(cube(5) == 125); }).join();  // during this call
    return x[0] * x[0] * x[0];
  };
  scene::SceneSource source(linkage("[[force]]\nname = \"push\"\nkind = \"joint-force\"\njoint = \"slide\"\n"
                                    "force = \"function.cube\"\n"),
                            "scene");
  source.give({{"cube", {"joint.slide.displacement"}, call}});
  const scene::Scene scene = source.scene();
  cube = [&](double x) {
    const double y[] = {0, x};
    return scene.mechanism.functions.at(0).function.function(y, nullptr, nullptr);
  };
  CHECK(cube(3) == 27);
}

TEST_CASE("threads that share a model may compute the rate of a value at the same time") {
  const auto law = law_of<VelocityLaw>("velocity",
                                       "value = \"joint.slide.displacement^2\"\n[[constraint.term]]\n"
                                       "kind = \"joint-rate\"\njoint = \"hinge\"\n");
  const auto wrong = [&](double x) {
    const double y[] = {0, x}, y_rate[] = {1, 1};
    long count = 0;
    for (int i = 0; i < 2'000'000; ++i)
      if (law.value.of_state()->rate(y, y_rate, nullptr) != 2 * x) ++count;
    return count;
  };
  long wrong_beside = 0;
  std::thread beside([&] { wrong_beside = wrong(5); });
  CHECK(wrong(3) == 0);
  beside.join();
  CHECK(wrong_beside == 0);
}

}  // namespace
}  // namespace torsor
