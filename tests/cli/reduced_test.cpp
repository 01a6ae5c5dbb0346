#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <optional>

#include "reference_run.hpp"
#include "torsor/system/reduced_system.hpp"

namespace torsor::test {
namespace {

/// The scene of the reduced disk with the numbers of theory_checks.json, without torques: spin 3 rad/s,
/// turning rate 1.1 rad/s, heading 0.2 rad.
scene::Scene free_disk(double eps, double t) {
  const auto text = [](double x) { return std::to_string(x); };
  return scene::load_scene(scene_path("rolling_disk_reduced"),
                           {{"integrator.tolerance", "1e-13"},
                            {"run.end", text(t)},
                            {"run.output", text(t)},
                            {"friction.mu", "2.1"},
                            {"friction.eps", text(eps)},
                            {"body.disk.mass", "1.3"},
                            {"body.disk.inertia", "[0.22, 0.35, 0.22]"},
                            {"body.disk.position", "[0, 0, 0.45]"},
                            {"body.disk.rotation_vector", "[0, 0, 0.2]"},
                            {"body.disk.velocity_world", "[\"1.35*cos(0.2)\", \"1.35*sin(0.2)\", 0]"},
                            {"body.disk.angular_velocity_body", "[0, 3, 1.1]"},
                            {"constraint.contact.radius", "0.45"},
                            {"force.drive.torque", "[0, 0, 0]"}});
}

State reduced_end(scene::Scene scene, const Model& model, const State& start, std::optional<int> order) {
  scene.run.treatment.reduced_order = order;
  const RunSummary end = run(model, start, scene.run).summary;
  REQUIRE(end.status == StepStatus::reached_end);
  return end.x;
}

/// The greatest component of q - q_stiff at t = 3 s for the orders 0, 1, 2, with a start on the slow manifold
/// of second order. The difference is in the position on the plane and in the spin angle.
std::array<double, 3> position_errors(double eps) {
  const scene::Scene scene = free_disk(eps, 3);
  const scene::ReadyModel ready = make_model(scene);
  const ReducedSystem slow(ready.model, 1, scene.run.treatment, 2);
  State start = ready.start;
  slow.velocity(0, start.q, start.v, start.v);
  const Vec q = reduced_end(scene, ready.model, start, {}).q;
  std::array<double, 3> out;
  for (int order = 0; order <= 2; ++order) {
    Vec miss(ready.model.nv());
    slow.local_difference(q, reduced_end(scene, ready.model, start, order).q, miss);
    out[std::size_t(order)] = greatest(miss);
  }
  return out;
}

/// |s - eps sigma_1| and |s - eps sigma_1 - eps^2 sigma_2| for the slip s of the stiff motion that starts
/// without slip.
std::array<double, 2> slip_remainders(double eps) {
  const scene::Scene scene = free_disk(eps, eps > 0.05 ? 2 : 1);
  const scene::ReadyModel ready = make_model(scene);
  const State end = reduced_end(scene, ready.model, ready.start, {});
  const ReducedSystem slow(ready.model, 1, scene.run.treatment, 2);
  const MechanismSystem ideal(ready.model, 1);
  Vec slip(4), first(4), second(4);
  ideal.velocity_residual(scene.run.t_end, end.q, end.v, slip);
  slow.slips(scene.run.t_end, end.q, end.v, first, second);
  return {(slip - eps * first).norm(), (slip - eps * first - eps * eps * second).norm()};
}

double slope(double at_1e2, double at_1e3) { return std::log10(at_1e2 / at_1e3); }

}  // namespace

TEST_CASE(
    "scene of the disk with viscous friction: reduced motions of orders 0, 1, 2 have errors of slope 1, 2, 3 "
    "in eps") {
  const auto coarsest = position_errors(1e-1), coarse = position_errors(1e-2), fine = position_errors(1e-3),
             finest = position_errors(1e-4);
  const std::array listed{4.3e-2, 1.0e-4, 2.1e-7};  // at eps = 1e-2
  for (std::size_t order = 0; order < 3; ++order) {
    CAPTURE(order);
    CAPTURE(coarse[order]);
    CAPTURE(fine[order]);
    CHECK(std::abs(slope(coarse[order], fine[order]) - double(order + 1)) < 0.1);
    CHECK(coarse[order] == doctest::Approx(listed[order]).epsilon(0.1).scale(0));
    CHECK(coarsest[order] > coarse[order]);
    CHECK(finest[order] < fine[order]);
  }
}

TEST_CASE("scene of the disk with viscous friction: the slip of the stiff motion agrees with the expansion") {
  struct Row {
    double eps, first, second;
  };
  for (const Row& row : {Row{1e-1, 3.4e-3, 4.1e-5}, Row{1e-2, 3.6e-5, 4.4e-8}, Row{1e-3, 3.6e-7, 4.4e-11}}) {
    CAPTURE(row.eps);
    const auto rest = slip_remainders(row.eps);
    CHECK(rest[0] == doctest::Approx(row.first).epsilon(0.05).scale(0));
    CHECK(rest[1] == doctest::Approx(row.second).epsilon(0.05).scale(0));
  }
  CHECK(slip_remainders(1e-4)[0] == doctest::Approx(3.6e-9).epsilon(0.05).scale(0));
}

TEST_CASE("the reduced disk follows the motion and the friction force of the stiff reference") {
  for (const char* eps : {"1e-2", "1e-3"}) {
    CAPTURE(eps);
    const scene::Scene scene = scene::load_scene(scene_path("rolling_disk_reduced"), {{"friction.eps", eps}});
    const json expected = reference(std::string("rolling_disk_viscous_") + eps).at("outputs").back();
    const json found = states_at(scene, {expected.at("t")}).front();
    // The motion starts without slip, so that the initial transient leaves an error of order eps^2.
    const double e = std::stod(eps);
    for (const auto& [key, error] : differences(found, expected)) {
      CAPTURE(key);
      CHECK(error <= 40 * e * e);
    }
  }
}

TEST_CASE("rolling_disk_viscous_1e-4: the reduced motion differs from the stiff one by order eps^2") {
  const auto at_2_s = [](const char* name, const char* eps) {
    const scene::Scene scene =
        scene::load_scene(scene_path(name), {{"run.end", "2"}, {"run.output", "2"}, {"friction.eps", eps}});
    const scene::ReadyModel ready = make_model(scene);
    const Trajectory motion = run(ready.model, ready.start, scene.run);
    REQUIRE(motion.summary.status == StepStatus::reached_end);
    return motion.samples.back().bodies.front();
  };
  const BodyMotion stiff = at_2_s("rolling_disk_viscous_1e-4", "1e-4"),
                   reduced = at_2_s("rolling_disk_reduced", "1e-4"),
                   coarse = at_2_s("rolling_disk_reduced", "1e-3");
  const auto far = [&](const BodyMotion& other) {
    return greatest((stiff.x - other.x).norm(), (stiff.v - other.v).norm(),
                    (stiff.Omega - other.Omega).norm());
  };
  CHECK(scene::load_scene(scene_path("rolling_disk_viscous_1e-4")).run.treatment.eps == 1e-4);
  CHECK(far(reduced) < 40 * 1e-8);
  CHECK(far(coarse) > 1e-4);
}

TEST_CASE("steps of a reduced motion end at kinks of the forces, so that the method keeps its order") {
  const auto x_at_end = [](const char* order, const char* step) {
    scene::Scene scene = scene::load_scene(
        scene_path("rolling_disk_reduced"),
        {{"integrator.method", "rkmk4"},
         {"integrator.step", step},
         {"run.end", "1"},
         {"run.output", "1"},
         {"friction.eps", "1e-12"},
         {"reduced.order", order},
         {"force.drive.torque", "[0, \"if(body.disk.angular_velocity_body.y < 2.13, 0.15, 0.6)\", 0]"}});
    const scene::ReadyModel ready = make_model(scene);
    const Trajectory trajectory = run(ready.model, ready.start, scene.run);
    REQUIRE(trajectory.summary.status == StepStatus::reached_end);
    return trajectory.samples.back().bodies[0].x;
  };
  for (const char* step : {"5e-3", "2.5e-3"})
    for (const char* order : {"1", "2"}) {
      CAPTURE(std::string(step));
      CAPTURE(std::string(order));
      CHECK((x_at_end(order, step) - x_at_end("0", step)).norm() < 1e-9);
    }
}

}  // namespace torsor::test
