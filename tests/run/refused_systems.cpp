// Systems and options of C++ programs that a run refuses, since it would ignore a part of them.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "driven_pendulum.hpp"
#include "torsor/integrators/constrained_system.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// A bead on a sphere, which does not say how its equations treat the constraint.
struct Bead : ConstrainedSystem {
  std::vector<char> exact{1};
  double bias = 1;  ///< times the right one

  int nq() const override { return 3; }
  int nv() const override { return 3; }
  void retract(VecIn q, VecIn xi, VecOut out) const override { out = q + xi; }
  void local_difference(VecIn q, VecIn p, VecOut out) const override { out = p - q; }
  void dexp(VecIn, VecIn w, VecOut out) const override { out = w; }
  void dexp_inv(VecIn, VecIn w, VecOut out) const override { out = w; }
  const std::vector<char>& holonomic() const override { return exact; }
  void force(double, VecIn, VecIn, VecOut f) const override { f = Vec3(0, 0, -19.62); }
  void metric_times(double, VecIn, VecIn w, VecOut out) const override { out = 2 * w; }
  void constraint_times(double, VecIn q, VecIn w, VecOut out) const override { out[0] = q.dot(w); }
  void reaction(double, VecIn q, VecIn lambda, VecOut out) const override { out = q * lambda[0]; }
  void position_residual(double, VecIn q, VecOut phi) const override { phi[0] = (q.squaredNorm() - 1) / 2; }
  void velocity_residual(double, VecIn q, VecIn v, VecOut psi) const override { psi[0] = q.dot(v); }
  void constraint_bias(double, VecIn, VecIn v, VecOut gamma) const override {
    gamma[0] = bias * v.squaredNorm();
  }
};

RunSummary run_bead(const Bead& bead, Treatment treatment) {
  SimulationOptions options;
  options.t_end = 0.1, options.constraints = treatment;
  return simulate(bead, {Vec(Vec3(std::sin(1.), 0, -std::cos(1.))), Vec(Vec3(0, .5, 0)), {}}, options);
}

/// The first 64 steps, of 1/64 s, of a rod whose hinge follows `angle` from t = 0 to `t_end` (s).
RunSummary drive(const std::function<TimeFunction::Value(double)>& angle, double t_end = 1) {
  Mechanism mechanism = pendulum();
  JointCoupling driver;
  driver.terms = {{0, 0, 1}}, driver.value = {angle, "angle"};
  mechanism.constraints = {{"driver", driver}};
  const Model model(mechanism);
  Start start;
  start.joints = {{Vec::Constant(1, angle(0).value), Vec::Constant(1, angle(0).rate)}};
  SimulationOptions options;
  options.step = 1. / 64, options.t_end = t_end, options.max_steps = 64;
  return run(model, make_start(model, start), options).summary;
}

}  // namespace

TEST_CASE("a system that does not say which treatment its equations have runs with the projected ones only") {
  CHECK(run_bead({}, Treatment::index_1).status == StepStatus::reached_end);
  for (const Treatment treatment : {Treatment::minimal, Treatment::dynamic, Treatment::viscous})
    CHECK_THROWS_WITH_AS(
        run_bead({}, treatment),
        ("the treatment " + std::string(to_string(treatment)) +
         " is part of the equations, and ConstrainedSystem::treatment of this system does not say that it "
         "has them; use index-1, index-2 or index-3")
            .c_str(),
        std::invalid_argument);
}

TEST_CASE("make_method is refused for a system with constraints") {
  SimulationOptions options;
  options.make_method = [] { return find_method("rkmk4")->make(); };
  const Model model(pendulum(), Formulation::absolute);
  CHECK_THROWS_WITH_AS(
      run(model, consistent_start(model, {}, 0), options),
      "make_method of the options makes methods for systems without constraints; this system "
      "has constraints",
      std::invalid_argument);
}

TEST_CASE("constraints with derivatives that are not those of their values end the run at the start") {
  Bead wrong;
  wrong.bias = 0.5;
  const RunSummary summary = run_bead(wrong, Treatment::index_1);
  CHECK(summary.status == StepStatus::callback_failed);
  CHECK(
      summary.message ==
      "constraint row 0 gives derivatives that are not those of its values: its velocity residual changes by "
      "0.25 a second along the velocity of the start, and its terms without accelerations are 0.125");

  using Value = TimeFunction::Value;
  const RunSummary no_rate = drive([](double t) { return Value{std::sin(t), 0, 0}; });
  CHECK(no_rate.status == StepStatus::callback_failed);
  CHECK(no_rate.message ==
        "constraint \"driver\" gives derivatives that are not those of its values: its position changes by "
        "-1 a second along the velocity of the start, and its velocity residual is 0");
  CHECK(drive([](double t) {
          return Value{std::cos(t), -std::sin(t), 0};
        }).status == StepStatus::callback_failed);
}

TEST_CASE("the derivatives of functions that vary fast, slowly or not smoothly are accepted") {
  using Value = TimeFunction::Value;
  for (const double w : {1e-6, 1., 1e3, 1e6, 1e9}) {
    CAPTURE(w);
    const RunSummary summary = drive([w](double t) {
      return Value{std::sin(w * t) / w, std::cos(w * t), -w * std::sin(w * t)};
    });
    CHECK(summary.message.find("derivatives") == std::string::npos);
  }
  for (const double end : {1e2, 1e5, 1e7, 1e9}) {  // of a run that an event may stop long before
    CAPTURE(end);
    for (const double f : {0.2, 50., 1e4}) {
      const double w = 6.283185307179586 * f;
      const RunSummary summary = drive(
          [w](double t) {
            return Value{0.01 * std::sin(w * t), 0.01 * w * std::cos(w * t), -0.01 * w * w * std::sin(w * t)};
          },
          end);
      CHECK(summary.message.find("derivatives") == std::string::npos);
    }
  }
  const auto kink = [](double t) { return Value{std::abs(t), t < 0 ? -1. : 1., 0}; };
  const auto only_later = [](double t) {
    if (t < 0) throw std::domain_error("the drive begins at 0");
    return Value{t * std::sqrt(t), 1.5 * std::sqrt(t), t > 0 ? 0.75 / std::sqrt(t) : 0};
  };
  CHECK(drive(kink).status == StepStatus::reached_end);
  CHECK(drive(only_later).message.find("derivatives") == std::string::npos);
}
