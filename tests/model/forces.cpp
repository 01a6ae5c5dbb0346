#include "torsor/model/forces.hpp"

#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <limits>

#include "some_forces.hpp"
#include "torsor/lie/status.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

using test::Random;

/// The model of a mechanism with its forces, workspace and loads.
struct Loaded {
  explicit Loaded(const Mechanism& mechanism) : model(mechanism), forces(model), work(model), loads(model) {}

  Vec acceleration(double t, const State& x) {
    Vec a(model.nv());
    forces.evaluate(t, x.q, x.v, work, loads);
    forward_dynamics(model, x.q, x.v, loads, work, a);
    return a;
  }
  double energy(double t, const State& x) {
    forward_kinematics(model, x.q, x.v, work);
    return kinetic_energy(model, work) + forces.potential(t, x.q, x.v, work);
  }
  double power(double t, const State& x) {
    forces.evaluate(t, x.q, x.v, work, loads);
    return forces.power(t, x.q, x.v, work);
  }
  /// dE/dt along the motion, by a central difference.
  double energy_rate(double t, const State& x) {
    const double h = 1e-4;
    const Vec a = acceleration(t, x);
    const auto energy_at = [&](double s) {
      State y = x;
      const Vec xi = s * x.v;
      retract(model, x.q.data(), xi.data(), y.q.data());
      y.v = x.v + s * a;
      return energy(t + s, y);
    };
    return (8 * (energy_at(h) - energy_at(-h)) - energy_at(2 * h) + energy_at(-2 * h)) / (12 * h);
  }

  Model model;
  Forces forces;
  Workspace<double> work;
  Loads<double> loads;
};

TEST_CASE("the rate of the energy is the power of each force, also if the force depends on time") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Random random(seed);
    Mechanism tree = test::random_tree(random, 24);
    const std::vector<Force> forces = test::changing_forces(random, tree);
    for (const Force& force : forces) {
      CAPTURE(seed);
      CAPTURE(force.name);
      tree.forces = {force};
      Loaded loaded(tree);
      const State x = test::random_state(random, loaded.model);
      CHECK(!loaded.forces.conserve_energy());
      const double rate = loaded.energy_rate(0.4, x);
      CHECK(rate == doctest::Approx(loaded.power(0.4, x)).epsilon(1e-7).scale(1 + std::abs(rate)));
    }
    tree.forces = forces;
    Loaded loaded(tree);
    const State x = test::random_state(random, loaded.model);
    CHECK(loaded.energy_rate(0.4, x) == doctest::Approx(loaded.power(0.4, x)).epsilon(1e-7));
  }
}

TEST_CASE("conservative forces keep the energy constant") {
  Random random(5);
  Mechanism tree = test::random_tree(random, 24);
  const std::vector<Force> forces = test::conservative_forces(random, tree);
  for (const Force& force : forces) {
    CAPTURE(force.name);
    tree.forces = {force};
    Loaded loaded(tree);
    const State x = test::random_state(random, loaded.model);
    CHECK(loaded.forces.conserve_energy());
    CHECK(loaded.power(0.4, x) == doctest::Approx(0).scale(1e-10));
    CHECK(std::abs(loaded.energy_rate(0.4, x)) < 1e-7 * (1 + loaded.energy(0.4, x)));
  }
}

TEST_CASE(
    "forces with a parameter that depends on time, with damping or with a load do not conserve the energy") {
  Random random(5);
  Mechanism tree = test::random_tree(random, 24);
  const TimeFunction moving = test::wave(2, 1);
  const int hinge = test::joint_of_kind(tree, JointKind::revolute);
  const auto conserves = [&](const Force& force) {
    tree.forces = {force};
    const Model model(tree);
    return Forces(model).conserve_energy();
  };
  const auto spring = [](const TimeFunction& stiffness, const TimeFunction& damping,
                         const TimeFunction& rest_length) {
    return PointSpring{{world, Vec3::Zero()}, {0, Vec3::Zero()}, stiffness, damping, rest_length};
  };
  const Mat3 K = Mat3::Identity(), none = Mat3::Zero();
  Mat3 turning = K;  // not symmetric
  turning(0, 1) = 0.5;
  const Force changing[] = {{"stiffness of a joint", JointForce{hinge, 0, moving, 0.1, 0., 0.}},
                            {"rest of a joint", JointForce{hinge, 0, 2., moving, 0., 0.}},
                            {"damping of a joint", JointForce{hinge, 0, 2., 0.1, 0.3, 0.}},
                            {"load of a joint", JointForce{hinge, 0, 2., 0.1, 0., 1.}},
                            {"stiffness of a spring", spring(moving, 0., 0.7)},
                            {"damping of a spring", spring(5., 0.1, 0.7)},
                            {"rest length of a spring", spring(5., 0., moving)},
                            {"gravity", UniformGravity{{0., 0., moving}}},
                            {"central gravity", CentralGravity{moving}},
                            {"force", BodyForce{{0, Vec3::Zero()}, {0., 1., 0.}}},
                            {"torque", BodyForce{{0, Vec3::Zero()}, {0., 0., 0.}, {0., 0., 1.}}},
                            {"stiffness of a field", LinearField{0, turning, none}},
                            {"damping of a field", LinearField{0, K, K}},
                            {"centre of a field", LinearField{0, K, none, {0., moving, 0.}}}};
  for (const Force& force : changing) {
    CAPTURE(force.name);
    CHECK(!conserves(force));
  }
  CHECK(conserves({"j", JointForce{hinge, 0, 0., moving, 0., 0.}}));  // without stiffness, rest has no effect
}

TEST_CASE("uniform gravity alone needs no kinematics and no wrenches") {
  Random random(6);
  Mechanism tree = test::random_tree(random, 8);
  tree.forces = {{"down", UniformGravity{}}, {"side", UniformGravity{{1., 0., 2.}}}};
  Loaded loaded(tree);
  const State x = test::random_state(random, loaded.model);
  loaded.forces.evaluate(0, x.q, x.v, loaded.work, loaded.loads);
  CHECK(!loaded.forces.needs_kinematics());
  CHECK(!loaded.loads.has_wrenches);
  CHECK(!loaded.loads.has_tau);
  CHECK(loaded.loads.gravity.isApprox(Vec3(1, 0, -7.81)));
}

TEST_CASE("forces of a spring on its two ends have no resultant and no moment") {
  Random random(7);
  Mechanism tree = test::random_tree(random, 8);
  tree.forces = {{"spring", PointSpring{{1, random.vector()}, {6, random.vector()}, 5., 0.4, 0.7}}};
  Loaded loaded(tree);
  const State x = test::random_state(random, loaded.model);
  loaded.forces.evaluate(0, x.q, x.v, loaded.work, loaded.loads);
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  for (int i = 0; i < loaded.model.size(); ++i) {
    force += loaded.loads.force[i];
    moment += loaded.loads.torque[i] + loaded.work.p_WB[i].cross(loaded.loads.force[i]);
  }
  CHECK(loaded.loads.force[loaded.model.link_of_body[1]].norm() > 0.1);
  CHECK(force.norm() < 1e-13);
  CHECK(moment.norm() < 1e-13);
}

/// A single free body under a force.
Mechanism lone_body(const Force& force) {
  Body body{"satellite", 1.3, Vec3(0.3, 0.5, 0.7).asDiagonal()};
  return {{body}, {}, {force}};
}

State lone_state(const Vec3& x, const SO3<>& R, const Vec3& v = Vec3::Zero()) {
  State state{Vec(7), Vec::Zero(6), {}};
  SE3<>(R, x).to(state.q.data());
  state.v.head<3>() = v;
  return state;
}

TEST_CASE("central gravity is minus the gradient of its potential, in position and attitude") {
  const Vec3 x(1.1, -0.4, 0.6);
  const SO3<> R = SO3<>::exp(Vec3(0.4, -1.2, 0.7));
  for (const bool gradient : {true, false}) {
    Loaded loaded(lone_body({"central", CentralGravity{2.5, Vec3(0.1, 0.2, 0.3), gradient}}));
    const State at = lone_state(x, R);
    const double h = 1e-4;
    const auto slope = [&](const Vec3& step, const Vec3& turn) {
      const auto V = [&](double s) {
        return loaded.energy(0, lone_state(x + s * step, SO3<>::exp(s * turn) * R));
      };
      return (8 * (V(h) - V(-h)) - V(2 * h) + V(-2 * h)) / (12 * h);
    };
    loaded.forces.evaluate(0, at.q, at.v, loaded.work, loaded.loads);
    for (int k = 0; k < 3; ++k) {
      CHECK(loaded.loads.force[0][k] == doctest::Approx(-slope(Vec3::Unit(k), Vec3::Zero())).epsilon(1e-9));
      CHECK(std::abs(loaded.loads.torque[0][k] + slope(Vec3::Zero(), Vec3::Unit(k))) < 1e-9);
    }
    CHECK((loaded.loads.torque[0].norm() > 0.1) == gradient);
  }
}

TEST_CASE("a particle under central gravity has a force and no torque") {
  Mechanism particle = lone_body({"central", CentralGravity{2.5}});
  particle.bodies[0].particle = true;
  Loaded loaded(particle);
  const Vec x = Vec3(3, 0, 4);
  loaded.forces.evaluate(0, x, Vec::Zero(3), loaded.work, loaded.loads);
  CHECK(loaded.loads.force[0].isApprox(-2.5 * 1.3 / 125 * Vec3(3, 0, 4)));
  CHECK(loaded.loads.torque[0].isZero());
}

TEST_CASE("a force in body axes turns with the body and acts at its point") {
  const SO3<> R = SO3<>::exp(Vec3(0.4, -1.2, 0.7));
  const Vec3 p(0.1, 0.2, -0.3), f(1, 2, 3), m(-2, 0.5, 1);
  const auto loads = [&](const Vec3& force, const Vec3& torque, bool body_axes) {
    const TimeVec3 f_t{force[0], force[1], force[2]}, m_t{torque[0], torque[1], torque[2]};
    Loaded loaded(lone_body({"thrust", BodyForce{{0, p}, f_t, m_t, body_axes}}));
    const State x = lone_state(Vec3(1, 2, 3), R);
    loaded.forces.evaluate(0, x.q, x.v, loaded.work, loaded.loads);
    return loaded.loads;
  };
  const Loads<double> in_body = loads(f, m, true), in_world = loads(R * f, R * m, false);
  CHECK(in_body.force[0].isApprox(R * f));
  CHECK(in_body.torque[0].isApprox(R * Vec3(m + p.cross(f))));
  CHECK(in_body.force[0].isApprox(in_world.force[0]));
  CHECK(in_body.torque[0].isApprox(in_world.torque[0]));
}

TEST_CASE("a magnetic field deflects the velocity and does no work") {
  Loaded loaded(
      lone_body({"field", LinearField{0, Mat3::Zero(), Mat3::Zero(), {0., 0., 0.}, {0., 0., 2.}, 1.5}}));
  const State x = lone_state(Vec3::Zero(), SO3<>(), Vec3(1, 0, 5));
  loaded.forces.evaluate(0, x.q, x.v, loaded.work, loaded.loads);
  CHECK(loaded.loads.force[0].isApprox(Vec3(0, -3, 0)));  // q v x B
  CHECK(loaded.forces.power(0, x.q, x.v, loaded.work) == 0);
}

TEST_CASE("a user's force receives the bodies in the mechanism's order and adds to the other forces") {
  Random random(8);
  Mechanism tree = test::random_tree(random, 8);
  std::vector<BodyKinematics> seen;
  tree.forces = {{"push", BodyForce{{3, Vec3::Zero()}, {1., 0., 0.}}},
                 {"mine", UserForce{"", [&](double t, const std::vector<BodyKinematics>& bodies,
                                            std::vector<Wrench>& wrenches) {
                                      seen = bodies;
                                      wrenches[3].force += Vec3(0, t, 0);
                                    }}}};
  Loaded loaded(tree);
  const State x = test::random_state(random, loaded.model);
  loaded.forces.evaluate(7, x.q, x.v, loaded.work, loaded.loads);
  CHECK(loaded.loads.force[loaded.model.link_of_body[3]].isApprox(Vec3(1, 7, 0)));
  for (int body = 0; body < 8; ++body) {
    const int link = loaded.model.link_of_body[body];
    CHECK(seen[body].X_WB.p.isApprox(loaded.work.p_WB[link]));
    CHECK(seen[body].X_WB.R.matrix().isApprox(loaded.work.R_WB[link]));
    CHECK(seen[body].omega_W.isApprox(loaded.work.w_WB[link]));
  }
}

TEST_CASE(
    "a force element receives its bodies and states in the order of its lists, and its wrenches give its "
    "power") {
  Random random(8);
  Mechanism tree = test::random_tree(random, 8);
  tree.states = {{"first", "", 3}, {"second", "", 5}};
  ForceElement element;
  element.bodies = {5, 2}, element.states = {1, 0};
  std::vector<BodyKinematics> seen;
  std::vector<double> states;
  element.function = [&](const ForceElement::Input& in, std::vector<Wrench>& wrenches) {
    seen = in.bodies, states = in.states;
    wrenches[0] = {Vec3(0, in.t, 0), Vec3(1, 0, 0)};
  };
  tree.forces = {{"push", BodyForce{{5, Vec3::Zero()}, {1., 0., 0.}}}, {"mine", element}};
  Loaded loaded(tree);
  const State x = test::random_state(random, loaded.model);
  loaded.forces.evaluate(7, x.q, x.v, loaded.work, loaded.loads);
  const int link = loaded.model.link_of_body[5];
  CHECK(loaded.loads.force[link].isApprox(Vec3(1, 7, 0)));
  CHECK(loaded.loads.torque[link].isApprox(Vec3(1, 0, 0)));
  CHECK(seen[0].X_WB.p.isApprox(loaded.work.p_WB[link]));
  CHECK(seen[1].X_WB.p.isApprox(loaded.work.p_WB[loaded.model.link_of_body[2]]));
  CHECK(states == std::vector<double>{5, 3});
  CHECK(loaded.forces.power(7, x.q, x.v, loaded.work) ==
        doctest::Approx(loaded.work.v_WB[link].dot(Vec3(1, 7, 0)) + loaded.work.w_WB[link][0]));
}

TEST_CASE("the power of forces that are functions of the state is the power of their loads") {
  const TimeFunction drive(
      StateFunction{{}, 0, [](const double* y, const signed char*, double*) { return 2 + y[0]; }}, "2 + t");
  Random random(5);
  Mechanism tree = test::random_tree(random, 24);
  const auto add = [&](auto law) { tree.forces.push_back({"f" + std::to_string(tree.forces.size()), law}); };
  for (int j = 0; j < static_cast<int>(tree.joints.size()); ++j)
    for (int k = 0; k < freedom_count(tree.joints[j].kind); ++k) add(JointForce{j, k, 0., 0., 0., drive});
  for (int body = 0; body < 24; body += 5) add(BodyForce{{body, Vec3(1, 2, 3)}, {drive, 0., drive}});
  add(UniformGravity{{0., drive, 0.}});
  Loaded loaded(tree);
  const State x = test::random_state(random, loaded.model);
  for (const double t : {0., 3.}) {
    const double power = loaded.power(t, x);
    double of_loads = loaded.loads.tau.dot(x.v);
    for (int link = 0; link < loaded.model.size(); ++link)
      of_loads +=
          (loaded.loads.force[link] + tree.bodies[loaded.model.body[link]].mass * loaded.loads.gravity)
              .dot(loaded.work.v_WB[link]) +
          loaded.loads.torque[link].dot(loaded.work.w_WB[link]);
    CHECK(power == doctest::Approx(of_loads).epsilon(1e-12));
  }
}

TEST_CASE("a spring whose ends meet has no force if its rest length is zero, and fails otherwise") {
  const auto evaluate = [](const TimeFunction& rest_length) {
    Loaded loaded(
        lone_body({"spring", PointSpring{{world, Vec3::Zero()}, {0, Vec3::Zero()}, 5., 0.1, rest_length}}));
    const State x = lone_state(Vec3::Zero(), SO3<>(), Vec3(1, 0, 0));
    loaded.forces.evaluate(0, x.q, x.v, loaded.work, loaded.loads);
    return loaded.loads.force[0];
  };
  CHECK(evaluate(0.).isZero());
  CHECK_THROWS_AS(evaluate(0.1), EvaluationError);
}

void check_failure(const Force& force, StepStatus status, const std::string& message) {
  Mechanism mechanism = lone_body(force);
  mechanism.forces.insert(mechanism.forces.begin(), {"weight", UniformGravity{}});
  mechanism.forces.push_back({"drag", LinearField{0, Mat3::Zero(), Mat3::Identity()}});
  Loaded loaded(mechanism);
  const State x = lone_state(Vec3(0, 1, 0), SO3<>());
  try {
    loaded.forces.evaluate(0.25, x.q, x.v, loaded.work, loaded.loads);
    FAIL("no failure: " << message);
  } catch (const EvaluationError& error) {
    CHECK(error.status == status);
    CHECK(error.what() == message);
  }
}

TEST_CASE("a force that fails is named in the message, with the time if a number is not finite") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TimeFunction late_nan([=](double) { return TimeFunction::Value{nan, 0, 0}; }, "0/0");
  check_failure(
      {"wind", UserForce{"", [](double, const auto&, auto&) { throw std::runtime_error("no wind data"); }}},
      StepStatus::callback_failed, "force \"wind\": no wind data");
  check_failure({"wind", UserForce{"", [=](double, const auto&, auto& w) { w[0].torque[1] = nan; }}},
                StepStatus::callback_failed, "force \"wind\" is not finite at t = 0.25");
  check_failure({"wind", UserForce{"", [](double, const auto&, auto& w) { w.clear(); }}},
                StepStatus::callback_failed, "force \"wind\": the function changed the number of wrenches");
  check_failure({"push", BodyForce{{0, Vec3::Zero()}, {late_nan, 0., 0.}}}, StepStatus::non_finite,
                "force \"push\" is not finite at t = 0.25: 0/0 has no finite value");
  check_failure({"shake", UniformGravity{{0., late_nan, 0.}}}, StepStatus::non_finite,
                "force \"shake\" is not finite at t = 0.25: 0/0 has no finite value");
  check_failure({"field", LinearField{0, 1e300 * 1e8 * Mat3::Identity(), Mat3::Zero(), {0., 1e9, 0.}}},
                StepStatus::non_finite, "force \"field\" is not finite at t = 0.25");
}

TEST_CASE("forces state whether they depend on velocities") {
  Random random(9);
  Mechanism tree = test::random_tree(random, 24);
  const auto why = [&](const Force& force) {
    tree.forces = {force};
    const Model model(tree);
    return Forces(model).why_velocity_dependent();
  };
  const int hinge = test::joint_of_kind(tree, JointKind::revolute);
  CHECK(why({"g", UniformGravity{}}).empty());
  CHECK(why({"c", CentralGravity{}}).empty());
  CHECK(why({"s", PointSpring{{world, Vec3::Zero()}, {0, Vec3::Zero()}, 3., 0., 1.}}).empty());
  CHECK(why({"j", JointForce{hinge, 0, 3., 1., 0., 2.}}).empty());
  CHECK(why({"f", LinearField{0, Mat3::Identity()}}).empty());
  CHECK(why({"s", PointSpring{{world, Vec3::Zero()}, {0, Vec3::Zero()}, 3., 0.1, 1.}}) ==
        "force \"s\" depends on velocities");
  CHECK(why({"j", JointForce{hinge, 0, 3., 1., 0.1, 2.}}) == "force \"j\" depends on velocities");
  CHECK(why({"f", LinearField{0, Mat3::Zero(), Mat3::Identity()}}) == "force \"f\" depends on velocities");
  CHECK(why({"b", LinearField{0, Mat3::Zero(), Mat3::Zero(), {0., 0., 0.}, {0., 0., 1.}, 1.}}) ==
        "force \"b\" depends on velocities");
  CHECK(why({"u", UserForce{"", [](double, const auto&, auto&) {}}}) ==
        "force \"u\" may depend on velocities");
  // if(t < 1, 2, 3): a formula of t with a kink is a StateFunction, too.
  StateFunction jumps{{}, 1, [](const double* y, const signed char* sides, double* switching) {
                        if (switching) *switching = 1 - y[0];
                        return (sides ? *sides > 0 : y[0] <= 1) ? 2. : 3.;
                      }};
  CHECK(why({"k", JointForce{hinge, 0, 0., 0., 0., TimeFunction(std::move(jumps), "if(t < 1, 2, 3)")}}) ==
        "force \"k\" uses quantities of the motion or is not a smooth function of time");
}

}  // namespace
}  // namespace torsor
