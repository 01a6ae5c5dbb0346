#include "torsor/scene/scene.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include "start_rows.hpp"
#include "support.hpp"

namespace torsor {
namespace {

using test::parsed;
using test::with_top;
constexpr double pi = std::numbers::pi;

}  // namespace

TEST_CASE("a scene has the values of its file") {
  const scene::Scene scene = parsed(
      "title = \"Top\"\ngravity = [0, 0, -9.81]\n"
      "[run]\nbegin = 1\nend = \"1 min\"\noutput = \"10 ms\"\noutput_times = [2, \"pi\"]\nmax_steps = "
      "7\nwall_limit = 3\n"
      "[integrator]\nmethod = \"rkmk4\"\nstep = 1e-3\ngroup = \"semidirect\"\n"
      "[[body]]\nname = \"top\"\nmass = \"500 g\"\ninertia = [1, 2, \"2.5 kg*m^2\"]\n"
      "[[body]]\nname = \"disk\"\nmass = 1\ninertia = [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]]\ngroup = "
      "\"direct\"\n"
      "[[particle]]\nname = \"bead\"\nmass = 3\nposition = [1, 2, 3]\nvelocity_world = [4, 5, 6]\n"
      "[[point]]\nname = \"tip\"\nbody = \"top\"\nposition = [0, 0, 1]\n");
  CHECK(scene.name == "scene");
  CHECK(scene.title == "Top");
  CHECK(scene.formulation == Formulation::tree);
  CHECK(scene.group == GroupProduct::semidirect);
  CHECK(scene.run.t_begin == 1);
  CHECK(scene.run.t_end == 60);
  CHECK(scene.run.output_step == 0.01);
  CHECK(scene.run.output_times == std::vector<double>{2, pi});
  CHECK(scene.run.max_steps == 7);
  CHECK(scene.run.wall_limit == 3);
  CHECK(scene.run.method == "rkmk4");
  CHECK(scene.run.step == 1e-3);
  CHECK(!scene.run.tolerance);

  const auto& bodies = scene.mechanism.bodies;
  REQUIRE(bodies.size() == 3);
  CHECK(bodies[0].mass == 0.5);
  CHECK(bodies[0].inertia == Mat3(Vec3(1, 2, 2.5).asDiagonal()));
  CHECK(bodies[0].group == GroupProduct::semidirect);
  CHECK(bodies[1].inertia(0, 1) == 0.1);
  CHECK(bodies[1].group == GroupProduct::direct);
  CHECK(bodies[2].particle);
  CHECK(scene.start.bodies[2].x == Vec3(1, 2, 3));
  CHECK(scene.start.bodies[2].v_W == Vec3(4, 5, 6));
  REQUIRE(scene.mechanism.forces.size() == 1);
  CHECK(std::get<UniformGravity>(scene.mechanism.forces[0].law).g[2](0) == -9.81);
  CHECK(scene.points[0].point.body == 0);
  CHECK(scene.points[0].point.p == Vec3(0, 0, 1));
}

TEST_CASE("a scene of bodies has no system in coordinates and no report of one") {
  const scene::Scene scene = parsed(with_top(""));
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const scene::SceneError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string why = "a scene of bodies has no system in coordinates; use make_model";
  CHECK(refused([&] { scene::make_system(scene); }).find(why) != std::string::npos);
  CHECK(refused([&] { scene::coordinate_report(scene, 0, State()); }).find(why) != std::string::npos);
  CHECK(refused([&] { scene::coordinate_curves(scene, 0, State(), {}); }).find(why) != std::string::npos);
}

TEST_CASE("curves of a state or a request that is not valid are refused") {
  const std::string chart = "[run]\nend = 1\n[chart]\ncoordinates = [\"x\"]\nstart = [1]\nrates = [2]\n";
  const scene::Scene line = parsed(chart + "metric = [[3]]\n");
  const auto curves = [&](const CurveRequest& request) {
    return coordinate_curves(line, 0, line.in_coordinates->start, request);
  };
  CHECK(curves({.duration = 0.5}).autoparallels.at(0).q.back()[0] == doctest::Approx(2).epsilon(1e-12));
  const char* const components =
      "the direction and the vector of curves need a component for each coordinate";
  CHECK_THROWS_WITH_AS(curves({.direction = Vec::Ones(2)}), components, std::invalid_argument);
  CHECK_THROWS_WITH_AS(curves({.vector = Vec::Ones(3)}), components, std::invalid_argument);
  CHECK_THROWS_WITH_AS(curves({.intervals = 0}), "curves need at least one interval", std::invalid_argument);
  for (const double duration : {0., -1., std::nan(""), HUGE_VAL})
    CHECK_THROWS_WITH_AS(curves({.duration = duration}), "the duration of curves must be positive and finite",
                         std::invalid_argument);
  CHECK_THROWS_WITH_AS(coordinate_curves(line, 0, State(), {}),
                       "the state needs a value and a rate for each coordinate", std::invalid_argument);
  const scene::Scene without = parsed(chart + "lagrangian = \"x'^2\"\n");
  CHECK_THROWS_WITH_AS(coordinate_curves(without, 0, without.in_coordinates->start, {}),
                       "curves need a scene that has a metric", std::invalid_argument);
}

TEST_CASE("a run without step size and tolerance has the tolerance 1e-9") {
  CHECK(parsed(with_top()).run.tolerance == 1e-9);
  CHECK(parsed(with_top()).run.method == "rkmk-dopri5");
}

TEST_CASE("four notations give the same attitude") {
  // A third of a turn about (1, 1, 1): x to y, y to z, z to x.
  for (const char* attitude :
       {"quaternion_wxyz = [0.5, 0.5, 0.5, 0.5]",
        "rotation_vector = [\"2*pi/3/sqrt(3)\", \"2*pi/3/sqrt(3)\", \"2*pi/3/sqrt(3)\"]",
        "euler_zxz = [\"90 deg\", \"90 deg\", 0]", "rows = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]"}) {
    CAPTURE(attitude);
    const scene::Scene scene = parsed(with_top(attitude));
    REQUIRE(scene.start.bodies[0].R);
    CHECK((*scene.start.bodies[0].R * Vec3(1, 2, 3) - Vec3(3, 1, 2)).norm() < 1e-14);
    CHECK(scene.notes.empty());
  }
}

TEST_CASE("a quaternion of nearly unit length is normalised with a note") {
  const scene::Scene scene = parsed(with_top("quaternion_wxyz = [1, 5e-4, 0, 0]"));
  CHECK(scene.start.bodies[0].R->defect() < 1e-15);
  REQUIRE(scene.notes.size() == 1);
  CHECK(scene.notes[0].starts_with("the quaternion of body \"top\" was normalised"));
}

TEST_CASE("joint frames and the axis shorthand are read") {
  const auto frames = [](const std::string& lines) {
    return parsed(with_top("[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"top\"\n" + lines))
        .mechanism.joints[0];
  };
  const Joint plain = frames(
      "parent_frame.position = [1, 2, 3]\nchild_frame = {position = [0, 0, \"-5 cm\"], axis = [0, 0, -2]}\n");
  CHECK(plain.parent == world);
  CHECK(plain.X_PF.p == Vec3(1, 2, 3));
  CHECK(plain.X_PF.R.w() == 1);
  CHECK(plain.X_CM.p == Vec3(0, 0, -0.05));
  CHECK((plain.X_CM.R * Vec3(1, 2, 3) - Vec3(1, -2, -3)).norm() < 1e-15);  // half a turn about x

  for (const Vec3& axis : {Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(1, -2, 0.5), Vec3(1e-9, 0, -1)}) {
    std::ostringstream line;
    line.precision(17);
    line << "axis = [" << axis.x() << ", " << axis.y() << ", " << axis.z() << "]\n";
    const Joint joint = frames(line.str());
    CHECK((joint.X_PF.R * Vec3::UnitZ() - axis.normalized()).norm() < 1e-14);
    CHECK((joint.X_PF.R * joint.X_CM.R.inverse()).log().norm() == 0);
  }
}

TEST_CASE("starts of joints have the units of their coordinates") {
  const scene::Scene scene =
      parsed(with_top("[[joint]]\nname = \"slide\"\nkind = \"cylindrical\"\nchild = \"top\"\ncoordinates = "
                      "[\"3 cm\", \"180 deg\"]\n"
                      "rates = [\"2 m/s\", \"60 rpm\"]\n"));
  CHECK((*scene.start.joints[0].q - Eigen::Vector2d(0.03, pi)).norm() < 1e-15);
  CHECK((*scene.start.joints[0].v - Eigen::Vector2d(2, 2 * pi)).norm() < 1e-15);

  const scene::Scene ball =
      parsed(with_top("[[joint]]\nname = \"ball\"\nkind = \"spherical\"\nchild = \"top\"\nrates = [1, 2, "
                      "3]\nrotation_vector = [0, 0, \"pi\"]\n"));
  CHECK((*ball.start.joints[0].q - Eigen::Vector4d(0, 0, 1, 0)).norm() < 1e-15);  // x y z w
  const scene::Scene free = parsed(
      with_top("[[joint]]\nname = \"free\"\nkind = \"free\"\nchild = \"top\"\nposition = [1, 2, 3]\n"));
  CHECK(free.start.joints[0].q->size() == 7);
  CHECK(free.start.joints[0].q->head<3>() == Vec3(1, 2, 3));
  CHECK((*free.start.joints[0].q)[6] == 1);
}

TEST_CASE("solids give a body its inertia") {
  const auto body = [](const std::string& solids) {
    return parsed("[run]\nend = 1\n[[body]]\nname = \"top\"\n" + solids).mechanism.bodies[0];
  };
  const Body sphere = body("[[body.solid]]\nkind = \"sphere\"\nradius = 2\nmass = 5\n");
  CHECK((sphere.inertia - 8 * Mat3::Identity()).norm() < 1e-14);

  const Body box = body("[[body.solid]]\nkind = \"box\"\nsize = [1, 2, 3]\ndensity = 2\n");
  CHECK(box.mass == doctest::Approx(12));
  CHECK((box.inertia - Mat3(Vec3(13, 10, 5).asDiagonal())).norm() < 1e-13);

  const Body ellipsoid = body("[[body.solid]]\nkind = \"ellipsoid\"\nsemi_axes = [1, 2, 3]\nmass = 5\n");
  CHECK((ellipsoid.inertia - Mat3(Vec3(13, 10, 5).asDiagonal())).norm() < 1e-13);

  // A tube along x.
  const Body tube = body(
      "[[body.solid]]\nkind = \"cylinder\"\nradius = 2\ninner_radius = 1\nlength = 6\nmass = 12\naxis = [1, "
      "0, 0]\n");
  CHECK((tube.inertia - Mat3(Vec3(30, 51, 51).asDiagonal())).norm() < 1e-13);

  // Two spheres of 1 kg at z = 1 and z = -1 add 2 m l^2 to the moments about x and y.
  const Body pair = body(
      "[[body.solid]]\nkind = \"sphere\"\nradius = 1\nmass = 1\nposition = [0, 0, 1]\n"
      "[[body.solid]]\nkind = \"sphere\"\nradius = 1\nmass = 1\nposition = [0, 0, -1]\n");
  CHECK(pair.mass == 2);
  CHECK((pair.inertia - Mat3(Vec3(2.8, 2.8, 0.8).asDiagonal())).norm() < 1e-14);
}

TEST_CASE("solids of any size have their centre of mass at the origin, and a positive and finite mass") {
  const auto refusal = [](const std::string& keys) {
    try {
      parsed("[run]\nend = 1\n[[body]]\nname = \"top\"\n[[body.solid]]\nkind = \"sphere\"\n" + keys);
    } catch (const scene::SceneError& error) {
      return error.diagnostics.front().message;
    }
    return std::string();
  };
  CHECK(
      refusal("radius = 1e-6\nmass = 1\nposition = [1e-9, 0, 0]\n") ==
      "the solids of body \"top\" have their centre of mass at (1e-09, 0, 0), not at the origin; subtract it "
      "from their positions");
  CHECK(refusal("radius = 1\nmass = 1\nposition = [1e-10, 0, 0]\n").empty());
  CHECK(refusal("radius = 1e110\ndensity = 1\n")
            .find(" has a mass of inf kg; it must be positive and finite") != std::string::npos);
  CHECK(refusal("radius = 1e-100\ndensity = 1e-100\n").find(" has a mass of 0 kg; ") != std::string::npos);
}

TEST_CASE("forces are read, with expressions of t as numbers") {
  const scene::Scene scene = parsed(with_top(
      "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"top\"\n"
      "[[force]]\nname = \"wind\"\nkind = \"body-force\"\nbody = \"top\"\nforce = [\"2*sin(3*t)\", 0, \"1 "
      "kN\"]\naxes = \"body\"\n"
      "[[force]]\nname = \"sun\"\nkind = \"central-gravity\"\nmu = \"1 km^3/s^2\"\ngradient = false\n"
      "[[force]]\nname = \"rope\"\nkind = \"spring\"\nfrom = {body = \"ground\", position = [0, 0, 1]}\nto = "
      "{body = \"top\"}\n"
      "stiffness = \"3 N/mm\"\nrest_length = \"10*t cm\"\n"
      "[[force]]\nname = \"motor\"\nkind = \"joint-force\"\njoint = \"hinge\"\nforce = \"2*t "
      "N*m\"\nstiffness = \"1 N*m/rad\"\ndamping = 0.5\n"
      "[[force]]\nname = \"trap\"\nkind = \"linear-field\"\nbody = \"top\"\nstiffness = [1, 2, 3]\ndamping = "
      "4\ncharge = 5\nmagnetic_field = [0, 0, \"t\"]\n"));
  const auto& forces = scene.mechanism.forces;
  REQUIRE(forces.size() == 5);
  const auto& wind = std::get<BodyForce>(forces[0].law);
  const auto gust = wind.force[0].with_derivatives(0.2);
  CHECK(gust.value == doctest::Approx(2 * std::sin(0.6)).epsilon(1e-15));
  CHECK(gust.rate == doctest::Approx(6 * std::cos(0.6)).epsilon(1e-15));
  CHECK(gust.acceleration == doctest::Approx(-18 * std::sin(0.6)).epsilon(1e-15));
  CHECK(wind.force[0].text() == "2*sin(3*t)");
  CHECK(wind.force[2].is_constant());
  CHECK(wind.force[2](0) == 1000);
  CHECK(wind.body_axes);
  CHECK(std::get<CentralGravity>(forces[1].law).mu(0) == 1e9);
  CHECK(!std::get<CentralGravity>(forces[1].law).gradient);
  const auto& rope = std::get<PointSpring>(forces[2].law);
  CHECK(rope.a.body == world);
  CHECK(rope.a.p == Vec3(0, 0, 1));
  CHECK(rope.stiffness(0) == 3000);
  CHECK(rope.rest_length(2) == doctest::Approx(0.2));
  CHECK(std::get<JointForce>(forces[3].law).force(3) == 6);
  CHECK(std::get<JointForce>(forces[3].law).damping(3) == 0.5);
  const auto& trap = std::get<LinearField>(forces[4].law);
  CHECK(trap.K == Mat3(Vec3(1, 2, 3).asDiagonal()));
  CHECK(trap.C == 4 * Mat3::Identity());
  CHECK(trap.B[2](7) == 7);
}

TEST_CASE("events are read") {
  const scene::Scene scene = parsed(with_top(
      "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"top\"\n[[point]]\nname = \"tip\"\nbody = "
      "\"top\"\nposition = [0, 0, 1]\n"
      "[[event]]\nname = \"low\"\nquantity = \"point-position\"\npoint = \"tip\"\nalong = [0, 3, 4]\nvalue = "
      "\"5 cm\"\ncrossing = \"falling\"\naction = \"stop\"\n"
      "[[event]]\nname = \"turn\"\nquantity = \"joint-coordinate\"\njoint = \"hinge\"\nvalue = \"1 rev\"\n"));
  REQUIRE(scene.events.size() == 2);
  CHECK(scene.events[0].quantity == EventSpec::Quantity::point_position);
  CHECK(scene.events[0].point.p == Vec3(0, 0, 1));
  CHECK((scene.events[0].direction_W - Vec3(0, 0.6, 0.8)).norm() < 1e-15);
  CHECK(scene.events[0].value(0) == 0.05);
  CHECK(scene.events[0].direction == -1);
  CHECK(scene.events[0].stop);
  CHECK(scene.events[1].value(0) == 2 * pi);
  CHECK(scene.events[1].direction == 0);
  CHECK(!scene.events[1].stop);
}

TEST_CASE("a byte order mark, carriage returns and a missing last line break are accepted") {
  std::string text = "\xEF\xBB\xBF" + with_top("position = [1, 2, 3]");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.replace(at, 1, "\r\n");
  CHECK(parsed(text).start.bodies[0].x == Vec3(1, 2, 3));
}

TEST_CASE("a scene gives a model and its start") {
  const scene::ReadyModel ready = make_model(parsed(with_top("angular_velocity_body = [1, 2, 3]")));
  CHECK(ready.model.nv() == 6);
  CHECK(ready.start.v.tail<3>() == Vec3(1, 2, 3));
}

TEST_CASE("the notes before a run do not run the long test of the integrability of velocity constraints") {
  scene::Scene scene = parsed(with_top());
  int evaluations = 0;
  UserConstraint edge;
  edge.bodies = {0};
  edge.function = [&](double, const std::vector<BodyKinematics>& bodies, UserRows& values) {
    ++evaluations;
    values.rows[0].head<3>() = bodies[0].X_WB.R * Vec3(0, 1, 0);
  };
  scene.mechanism.constraints = {{"edge", edge}};
  const scene::ReadyModel ready = make_model(scene);
  evaluations = 0;
  CHECK(notes_before_run(scene, ready).empty());
  CHECK(evaluations < 10);
  CHECK(start_rows(scene, ready, true).table[1][4] == "nonholonomic");
}

TEST_CASE(
    "no note speaks of redundant rows where rows contradict each other in the accelerations at the "
    "start") {
  const auto notes = [](const std::string& slow, const std::string& fast) {
    const std::string drive = "[[constraint]]\nkind = \"driver\"\njoint = \"hinge\"\n";
    const scene::Scene scene =
        parsed(with_top() + "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"top\"\n" + drive +
               "name = \"slow\"\nvalue = \"" + slow + "\"\n" + drive + "name = \"fast\"\nvalue = \"" + fast +
               "\"\n");
    return notes_before_run(scene, prepare(scene));
  };
  CHECK(notes("t^2", "2*t^2").empty());
  REQUIRE(notes("t^2", "t^2").size() == 1);
  CHECK(notes("t^2", "t^2").front().find("reactions that are not unique are those of least norm") !=
        std::string::npos);
}

TEST_CASE(
    "whether the mass matrix of a chart is positive definite does not depend on the units of its "
    "coordinates") {
  const auto accepts = [](const std::string& metric) {
    try {
      parsed("[run]\nend = 1\n[chart]\ncoordinates = [\"x\", \"y\"]\nstart = [0, 0]\nmetric = " + metric);
    } catch (const scene::SceneError& error) {
      CHECK(error.diagnostics.front().message ==
            "the mass matrix of [chart] is not positive definite at the start");
      return false;
    }
    return true;
  };
  CHECK(accepts("[[1e-9, 0], [0, 1e7]]"));
  CHECK(accepts("[[1e-9, 0.099], [0.099, 1e7]]"));
  CHECK_FALSE(accepts("[[1e-9, 0.1], [0.1, 1e7]]"));
  CHECK_FALSE(accepts("[[1e-9, 0.2], [0.2, 1e7]]"));
  CHECK_FALSE(accepts("[[1, 0], [0, 0]]"));
  CHECK_FALSE(accepts("[[-1, 0], [0, -1]]"));
}

TEST_CASE("a scene of bodies and a scene in coordinates run by the same function") {
  const std::string run_of_one_second =
      "[run]\nend = 1\noutput = 0.5\n[integrator]\nmethod = \"rkmk-fehlberg78\"\ntolerance = 1e-11\n";
  const scene::Scene bodies = parsed("gravity = [0, 0, -9.81]\n" + run_of_one_second +
                                     "[[particle]]\nname = \"ball\"\nmass = 2\n"
                                     "[[point]]\nname = \"centre\"\nbody = \"ball\"\n"
                                     "[[event]]\nname = \"low\"\nquantity = \"point-position\"\npoint = "
                                     "\"centre\"\nvalue = -1\n"),
                     coordinates = parsed(run_of_one_second +
                                          "[chart]\ncoordinates = [\"z\"]\nmetric = [[2]]\n"
                                          "potential = \"2*9.81*z\"\nstart = [0]\nrates = [0]\n"
                                          "[[event]]\nname = \"low\"\nquantity = \"coordinate\"\nof = \"z\"\n"
                                          "value = -1\n");
  for (const scene::Scene* scene : {&bodies, &coordinates}) {
    const scene::ReadyScene ready = prepare(*scene);
    std::vector<double> times;
    const Trajectory motion =
        run(*scene, ready, scene->run, [&](const Sample& sample) { times.push_back(sample.t); });
    CHECK(motion.summary.status == StepStatus::reached_end);
    CHECK(times == std::vector<double>{0, 0.5, 1});
    REQUIRE(motion.summary.events.size() == 1);
    CHECK(motion.summary.events[0].t == doctest::Approx(std::sqrt(2 / 9.81)).epsilon(1e-10));
    CHECK(motion.samples.back().invariants.kinetic == doctest::Approx(9.81 * 9.81).epsilon(1e-10));
    const Trajectory start = run_at_start(*scene, ready);
    CHECK(start.summary.t == 0);
    CHECK(start.samples.front().invariants.kinetic == 0);
  }
}

TEST_CASE(
    "a sampling period too short for any run to end is refused, unless a program adds an event that stops") {
  scene::Scene scene = parsed(
      "[run]\nend = 1\n"
      "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n"
      "[[sampled]]\nname = \"u\"\nperiod = 1e-12\nvalue = 1\n");
  CHECK_THROWS_AS(prepare(scene), scene::SceneError);
  scene::Scene other = scene;
  other.run.events.push_back({"soon", [](double t, const State&) { return t - 1e-9; }, 0, true});
  CHECK_NOTHROW(prepare(other));
  EventSpec soon;
  soon.name = "soon", soon.stop = true;
  scene.events.push_back(soon);
  CHECK_NOTHROW(prepare(scene));
}

}  // namespace torsor
