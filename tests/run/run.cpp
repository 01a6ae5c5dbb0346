#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "system/heavy_top.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/system/tree_system.hpp"

using namespace torsor;

namespace {

SimulationOptions with_tolerance(const char* method, double tolerance, double t_end) {
  SimulationOptions options;
  options.method = method;
  options.tolerance = tolerance;
  options.t_end = t_end;
  options.output_step = t_end / 2;
  return options;
}

double top_error(const SimulationOptions& options) {
  const Model model(heavy_top());
  const auto trajectory = run(model, heavy_top_start(model), options);
  REQUIRE(trajectory.summary.status == StepStatus::reached_end);
  return (trajectory.samples.back().bodies[0].x - heavy_top_x_1).norm();
}

}  // namespace

TEST_CASE("the heavy top reaches the position of its reference") {
  for (const char* method : {"rkmk-dopri5", "rkmk-fehlberg78"}) {
    CAPTURE(method);
    const Model model(heavy_top());
    const auto trajectory = run(model, heavy_top_start(model), with_tolerance(method, 1e-12, 2));
    REQUIRE(trajectory.samples.size() == 3);
    const Sample &middle = trajectory.samples[1], &end = trajectory.samples[2];
    CHECK((middle.bodies[0].x - heavy_top_x_1).norm() < 1e-9);
    CHECK((end.bodies[0].x - heavy_top_x_2).norm() < 1e-9);
    CHECK((end.joints[0].force - heavy_top_force_2).norm() < 1e-9 * heavy_top_force_2.norm());
    CHECK(std::abs(end.invariants.energy() - heavy_top_energy) < 1e-9 * heavy_top_energy);
    CHECK(end.invariants.work == 0);
    CHECK(trajectory.energy_max_drift < 1e-9 * heavy_top_energy);
  }
}

TEST_CASE("the error is proportional to the tolerance") {
  for (const char* method : {"rkmk-dopri5", "rkmk-fehlberg78", "cf4"}) {
    CAPTURE(method);
    std::vector<double> ratios;
    for (int digits = 4; digits <= 12; ++digits) {
      const double tolerance = std::pow(10., -digits);
      ratios.push_back(top_error(with_tolerance(method, tolerance, 1)) / tolerance);
    }
    auto sorted = ratios;
    std::nth_element(sorted.begin(), sorted.begin() + 4, sorted.end());
    for (const double ratio : ratios) {
      CAPTURE(ratio);
      CHECK(ratio < 30 * sorted[4]);
      CHECK(ratio > sorted[4] / 30);
    }
  }
}

TEST_CASE("rkmk4 at a fixed step size has order 4") {
  auto options = with_tolerance("rkmk4", 1e-9, 1);
  options.tolerance.reset();
  options.step = 1e-3;
  const double coarse = top_error(options);
  options.step = 5e-4;
  const double fine = top_error(options);
  CHECK(std::log2(coarse / fine) > 3.7);
  CHECK(std::log2(coarse / fine) < 4.5);
}

TEST_CASE("outputs and events leave every bit of the motion unchanged") {
  const Model model(heavy_top());
  const State start = heavy_top_start(model);
  auto plain = with_tolerance("rkmk-dopri5", 1e-8, 1);
  plain.output_step = 0;
  auto watched = plain;
  watched.output_step = 1e-3;
  EventSpec low{.name = "low",
                .quantity = EventSpec::Quantity::point_position,
                .point = {0, Vec3::Zero()},
                .value = -0.5};
  const auto a = run(model, start, plain), b = run(model, start, watched, {}, {low});
  CHECK(a.summary.x.q == b.summary.x.q);
  CHECK(a.summary.x.v == b.summary.x.v);
  CHECK(b.samples.size() == 1001);
  REQUIRE(!b.summary.events.empty());
}

TEST_CASE("events of a mechanism are located to rounding") {
  const Model model(heavy_top());
  EventSpec low{.name = "low", .quantity = EventSpec::Quantity::point_position, .point = {0, Vec3::Zero()}};
  low.value = -0.5;
  low.direction = -1;
  low.stop = true;
  const auto trajectory = run(model, heavy_top_start(model), with_tolerance("rkmk-fehlberg78", 1e-11, 1),
                              {{"centre", {0, Vec3::Zero()}}}, {low});
  CHECK(trajectory.summary.status == StepStatus::event);
  const Sample& end = trajectory.samples.back();
  CHECK(std::abs(end.bodies[0].x.z() + 0.5) < 1e-13);
  CHECK(end.bodies[0].v.z() < 0);
  CHECK((end.points[0].x - end.bodies[0].x).norm() == 0);
  CHECK(end.t == trajectory.summary.t);

  for (const auto& [component, what] : {std::pair{std::nan(""), "not finite"}, std::pair{0., "zero"}}) {
    low.direction_W = Vec3(0, 0, component);
    CHECK_THROWS_WITH_AS(run(model, heavy_top_start(model), with_tolerance("rkmk4", 1e-6, 1), {}, {low}),
                         ("event \"low\": the direction is " + std::string(what)).c_str(),
                         std::invalid_argument);
  }
  low.quantity = EventSpec::Quantity::joint_rate;
  low.coordinate = 3;
  CHECK_THROWS_WITH_AS(run(model, heavy_top_start(model), with_tolerance("rkmk4", 1e-6, 1), {}, {low}),
                       "event \"low\": joint \"pivot\" has no coordinate 3", std::invalid_argument);
  low.quantity = EventSpec::Quantity::rate;
  CHECK_THROWS_WITH_AS(run(model, heavy_top_start(model), with_tolerance("rkmk4", 1e-6, 1), {}, {low}),
                       "event \"low\": a mechanism has no such quantity", std::invalid_argument);
}

TEST_CASE("a sink receives every sample, and the trajectory keeps the first and the last") {
  const Model model(heavy_top());
  auto options = with_tolerance("rkmk-dopri5", 1e-8, 1);
  options.output_step = 0.1;
  std::vector<double> times;
  const auto trajectory = run(model, heavy_top_start(model), options, {}, {},
                              [&](const Sample& sample) { times.push_back(sample.t); });
  CHECK(times.size() == 11);
  REQUIRE(trajectory.samples.size() == 2);
  CHECK(trajectory.samples[0].t == 0);
  CHECK(trajectory.samples[1].t == 1);
}

TEST_CASE("samples that nobody reads leave the end, the outcome and the energy drift of a run unchanged") {
  for (const double until : {0., 0.33, 1.}) {
    CAPTURE(until);
    Mechanism mechanism = heavy_top();
    const auto push = [=](double t, const std::vector<BodyKinematics>&, std::vector<Wrench>& wrenches) {
      if (t > until) throw std::runtime_error("broken");
      wrenches[0].force = Vec3(1, 0, 0);
    };
    mechanism.forces.push_back({"wind", UserForce{"", push}});
    const Model model(mechanism);
    auto options = with_tolerance("rkmk-dopri5", 1e-8, 1);
    options.output_step = 0.05;
    const Trajectory all = run(model, heavy_top_start(model), options);
    options.reads = [](double t) { return std::abs(t - 0.2) < 1e-9; };
    std::vector<double> times;
    const Trajectory some = run(model, heavy_top_start(model), options, {}, {},
                                [&](const Sample& sample) { times.push_back(sample.t); });
    CHECK(times ==
          (until > 0 ? std::vector<double>{0, all.samples[4].t, all.summary.t} : std::vector<double>{0}));
    CHECK(some.summary.status == all.summary.status);
    CHECK(some.summary.message == all.summary.message);
    CHECK(some.summary.t == all.summary.t);
    CHECK(some.energy_max_drift == all.energy_max_drift);
    CHECK(some.energy_drift_slope == all.energy_drift_slope);
    const Sample &last = some.samples.back(), &same = all.samples.back();
    CHECK(last.x.q == same.x.q);
    CHECK(last.invariants.work == same.invariants.work);
    CHECK(last.invariants.energy() == same.invariants.energy());
    CHECK(last.invariants.acceleration_residual == same.invariants.acceleration_residual);
    CHECK(last.bodies[0].vdot == same.bodies[0].vdot);
    CHECK(last.joints[0].force == same.joints[0].force);
  }
}

TEST_CASE("if the sample of the last output that nobody reads fails, the run ends at the output before it") {
  int calls = 0, failing = 0;
  Mechanism mechanism = heavy_top();
  mechanism.forces.push_back(
      {"wind", UserForce{"", [&](double, const std::vector<BodyKinematics>&, std::vector<Wrench>&) {
                           if (++calls == failing) throw std::runtime_error("broken");
                         }}});
  const Model model(mechanism);
  auto options = with_tolerance("rkmk-dopri5", 1e-8, 1);
  options.output_step = 0.125;
  options.reads = [](double) { return false; };
  CHECK(run(model, heavy_top_start(model), options).samples.back().t == 1);
  failing = std::exchange(calls, 0);  // the last call is that of the last sample
  const Trajectory trajectory = run(model, heavy_top_start(model), options);
  CHECK(trajectory.summary.status == StepStatus::callback_failed);
  CHECK(trajectory.summary.t == 0.875);
  CHECK(trajectory.samples.back().t == 0.875);
}

TEST_CASE("a force that fails ends the run at the last good output, and the message names the force") {
  for (const double until : {0., 0.3, 0.5, 1.})
    for (const char* method : {"rkmk4", "rkmk-dopri5", "lie-midpoint"}) {
      CAPTURE(until);
      CAPTURE(method);
      Mechanism mechanism = heavy_top();
      const auto push = [=](double t, const std::vector<BodyKinematics>&, std::vector<Wrench>& wrenches) {
        if (t >= until) throw std::runtime_error("broken");
        wrenches[0].force = Vec3(1, 0, 0);
      };
      mechanism.forces.push_back({"wind", UserForce{"", push}});
      const Model model(mechanism);
      SimulationOptions options;
      options.method = method;
      options.step = 1e-3;
      options.output_step = 0.1;
      const auto trajectory = run(model, heavy_top_start(model), options);
      CHECK(trajectory.summary.status == StepStatus::callback_failed);
      CHECK(trajectory.summary.message.find("force \"wind\"") != std::string::npos);
      CHECK(trajectory.summary.message.find("broken") != std::string::npos);
      CHECK(trajectory.summary.part.kind == Part::Kind::force);
      CHECK(trajectory.summary.part.index == static_cast<int>(mechanism.forces.size()) - 1);
      REQUIRE(!trajectory.samples.empty());
      CHECK(trajectory.samples.back().t == trajectory.summary.t);
      CHECK(trajectory.summary.t <= until);
      CHECK(trajectory.summary.t >= until - 0.11);
      if (until > 0) CHECK(trajectory.samples.back().a.allFinite());
      CHECK(trajectory.samples.back().joints[0].q.size() == 4);
    }
}

TEST_CASE("the start is a sample of every run, whichever call of a force fails") {
  for (int k = 1; k <= 40; ++k) {
    CAPTURE(k);
    Mechanism mechanism = heavy_top();
    int calls = 0;
    mechanism.forces.push_back(
        {"wind", UserForce{"", [&](double, const std::vector<BodyKinematics>&, std::vector<Wrench>&) {
                             if (++calls >= k) throw std::runtime_error("broken");
                           }}});
    const Model model(mechanism);
    const auto trajectory = run(model, heavy_top_start(model), with_tolerance("rkmk-dopri5", 1e-8, 1));
    CHECK(trajectory.summary.status == StepStatus::callback_failed);
    REQUIRE(!trajectory.samples.empty());
    CHECK(trajectory.samples.front().t == 0);
    CHECK(trajectory.samples.back().t == trajectory.summary.t);
  }
}

TEST_CASE("if the start cannot be measured, forces and multipliers of its constraints are not numbers") {
  int without = 0;
  for (int k = 1; k <= 10; ++k) {
    CAPTURE(k);
    Mechanism mechanism;
    mechanism.bodies = {{"bob", 1, Mat3::Zero(), GroupProduct::direct, true}};
    mechanism.constraints = {{"rod", Distance{{world, {0., 0., 0.}}, {0}, 1.}}};
    int calls = 0;
    mechanism.forces = {
        {"wind", UserForce{"", [&](double, const std::vector<BodyKinematics>&, std::vector<Wrench>&) {
                             if (++calls >= k) throw std::runtime_error("broken");
                           }}}};
    const State start{Vec3(0.6, 0, -0.8), Vec3::Zero(), {}};
    const Sample first = run(Model(mechanism), start, with_tolerance("rkmk-dopri5", 1e-8, 1)).samples.front();
    if (first.a.allFinite()) continue;
    ++without;
    CHECK(first.constraints[0].force.array().isNaN().all());
    CHECK(first.constraints[0].multipliers.array().isNaN().all());
  }
  CHECK(without > 1);
}

TEST_CASE("a fixed step that rotates too far is rejected") {
  const Model model(heavy_top());
  SimulationOptions options;
  options.method = "rkmk4";
  options.step = 0.1;
  const auto trajectory = run(model, heavy_top_start(model), options);
  CHECK(trajectory.summary.status == StepStatus::rejected);
  CHECK(trajectory.summary.message ==
        "rkmk4: step from t = 0 with h = 0.1 failed: a rotation of more than half a turn in one step");
  CHECK(trajectory.summary.t == 0);
}

TEST_CASE(
    "a start of another size than the model or with quaternions that are not unit, and points that do not "
    "exist, "
    "are refused before the run") {
  const Model model(heavy_top());
  const State good = heavy_top_start(model);
  State x = good;
  x.q.conservativeResize(2);
  const auto options = with_tolerance("rkmk-dopri5", 1e-6, 0.1);
  CHECK_THROWS_WITH_AS(run(model, x, options),
                       "the state has 2 coordinates and 3 velocities; the system has 4 and 3",
                       std::invalid_argument);
  x = good;
  x.v.resize(0);
  CHECK_THROWS_AS(run(model, x, options), std::invalid_argument);
  x = good;
  x.q *= 2;
  CHECK_THROWS_WITH_AS(run(model, x, options),
                       "the norm of a quaternion of the start must be 1; it is off by 1",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(run(model, good, options, {{"tip", {1, Vec3::UnitX()}}}),
                       "point \"tip\": there is no body 1", std::invalid_argument);
  CHECK_THROWS_WITH_AS(run(model, good, options, {{"tip", {0, Vec3(std::nan(""), 0, 0)}}}),
                       "point \"tip\": its position is not finite", std::invalid_argument);
}

TEST_CASE("a sink that throws ends the run as callback-failed with its message") {
  const Model model(heavy_top());
  for (const double when : {0., 0.04, 0.1}) {
    CAPTURE(when);
    auto options = with_tolerance("rkmk-dopri5", 1e-6, 0.1);
    options.output_step = 0.01;
    const SampleSink full = [when](const Sample& sample) {
      if (sample.t >= when) throw std::runtime_error("disk full");
    };
    const Trajectory trajectory = run(model, heavy_top_start(model), options, {}, {}, full);
    CHECK(trajectory.summary.status == StepStatus::callback_failed);
    CHECK(trajectory.summary.message.find("threw: disk full") != std::string::npos);
    CHECK_FALSE(trajectory.samples.empty());
    options.reads = [](double) { return false; };
    const Trajectory unread = run(model, heavy_top_start(model), options, {}, {}, full);
    CHECK(unread.summary.status == StepStatus::callback_failed);
    CHECK(unread.summary.message.find("threw: disk full") != std::string::npos);
    options.reads = [when](double t) { return t == when; };
    const Trajectory read = run(model, heavy_top_start(model), options, {}, {}, full);
    CHECK(read.summary.status == StepStatus::callback_failed);
    CHECK(read.samples.back().t == when);  // and not an earlier output that nobody reads
  }
}

TEST_CASE("the outputs of a single top ascend, and no output is later than the end of the run") {
  const Model model(heavy_top());
  const TreeSystem system(model, LinkLengths(model, heavy_top_start(model).q));
  for (const double output_step : {2e-4, 3e-3}) {
    for (long cut = 1; cut <= 60; ++cut) {
      CAPTURE(output_step);
      CAPTURE(cut);
      for (const bool throws : {false, true}) {
        SimulationOptions options = with_tolerance("rkmk-dopri5", 1e-7, 0.4);
        options.output_step = output_step;
        long calls = 0;
        if (!throws) options.cancelled = [&] { return ++calls == cut; };
        std::vector<double> given;
        double refused = HUGE_VAL;
        const RunSummary summary =
            simulate(system, heavy_top_start(model), options, [&](double t, const State&) {
              if (throws && static_cast<long>(given.size()) == cut) {
                refused = t;
                throw std::runtime_error("full");
              }
              given.push_back(t);
            });
        CHECK(summary.status == (throws ? StepStatus::callback_failed : StepStatus::cancelled));
        CHECK(std::adjacent_find(given.begin(), given.end(), std::greater_equal<>()) == given.end());
        CHECK(summary.t >= given.back());
        CHECK(summary.t < refused);
        if (!throws) CHECK(summary.t == given.back());
      }
    }
  }
}

TEST_CASE("the steps compiled for a single top have the bits of the method itself") {
  const Model model(heavy_top());
  const TreeSystem system(model, LinkLengths(model, heavy_top_start(model).q));
  using Change = std::function<void(SimulationOptions&)>;
  const std::vector<Change> changes{[](auto&) {},
                                    [](auto& o) {
                                      o.output_times = {0.01, 0.1, 0.31};
                                    },
                                    [](auto& o) { o.output_step = 2e-4; },  // several in a step
                                    [](auto& o) { o.output_step = 0; },
                                    [](auto& o) { o.first_step = 0.01, o.output_times = {0.01}; },
                                    [](auto& o) { o.max_step = 2e-3, o.output_step = 4e-3; },
                                    [](auto& o) { o.min_step = 3e-3; },
                                    [](auto& o) { o.max_steps = 30; },
                                    [](auto& o) { o.progress = [](double) {}; },
                                    [](auto& o) { o.tolerance.reset(), o.step = 1e-3; }};
  for (const char* method :
       {"rkmk4", "rkmk-ck54", "rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dop853", "rkmk-dopri8", "cf4"}) {
    for (std::size_t i = 0; i < changes.size(); ++i) {
      CAPTURE(method);
      CAPTURE(i);
      SimulationOptions options = with_tolerance(method, 1e-7, 0.4);
      options.output_step = 0.03;
      changes[i](options);
      const auto record = [&] {
        std::vector<double> all;
        const auto add = [&all](double t, const State& x) {
          all.push_back(t);
          all.insert(all.end(), x.q.begin(), x.q.end()), all.insert(all.end(), x.v.begin(), x.v.end());
        };
        const RunSummary summary = simulate(system, heavy_top_start(model), options, add);
        add(summary.t, summary.x);
        for (const long count : {summary.accepted, summary.rejected, summary.evaluations})
          all.push_back(static_cast<double>(count));
        return std::pair(all, summary.message);
      };
      const auto compiled = record();
      options.make_method = [method] { return find_method(method)->make(); };
      CHECK(compiled == record());
    }
  }
}
