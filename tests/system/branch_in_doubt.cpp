#include <doctest/doctest.h>

#include <string>

#include "constrained.hpp"

using namespace torsor;
using namespace torsor::test;

namespace {

/// The crank of the kite is as long as the ground link, so the coupler can lie on the rocker, where two
/// branches meet.
FourBar moving_kite() {
  FourBar kite(1, 0.8, 0.8, 1, 1.4);
  kite.start.joints.resize(4);
  kite.start.joints[0].v = Vec::Constant(1, 5);
  return kite;
}

/// A run that an event stops at the time t. The event is the sign change of a function of the time or, if
/// `jump`, the jump of a sampled value.
Trajectory stopped_at(double t, bool jump, const FourBar& kite, SimulationOptions options) {
  Mechanism mechanism = kite.mechanism;
  if (jump)
    mechanism.states = {{"held", "s", 0,
                         TimeFunction(
                             [](double s) {
                               return TimeFunction::Value{s, 1, 0};
                             },
                             "t"),
                         t}};
  const Model model(mechanism);
  options.events = {{"there",
                     [=](double s, const State& x) { return jump ? x.v[x.v.size() - 1] - t / 2 : s - t; }, 0,
                     true}};
  return run(model, consistent_start(model, kite.start), options);
}

}  // namespace

TEST_CASE("a run ends as singular where states are so far off the constraints that the branch is in doubt") {
  const FourBar kite = moving_kite();
  const Model model(kite.mechanism);
  const State start = consistent_start(model, kite.start);
  const auto motion = [&](const char* method, Treatment treatment, double tolerance) {
    SimulationOptions options;
    options.method = method, options.constraints = treatment, options.tolerance = tolerance;
    options.output_step = 1;
    return run(model, start, options);
  };
  struct Case {
    const char* method;
    Treatment treatment;
    double tolerance;
  };
  for (const Case& one :
       {Case{"rkmk-dopri5", Treatment::dynamic, 1e-2}, Case{"rkmk-dopri5", Treatment::dynamic, 1e-4},
        Case{"rkmk-dop853", Treatment::dynamic, 1e-3}, Case{"hemk5", Treatment::minimal, 1e-3}}) {
    CAPTURE(std::string(one.method));
    CAPTURE(one.tolerance);
    const RunSummary summary = motion(one.method, one.treatment, one.tolerance).summary;
    CHECK(summary.status == StepStatus::singular);
    CHECK(summary.message.find("its branch is in doubt") != std::string::npos);
  }
  const Sample passed = motion("rkmk-dop853", Treatment::minimal, 1e-6).samples.back(),
               exact = motion("rkmk-dop853", Treatment::index_1, 1e-10).samples.back();
  CHECK(passed.t == 1);
  CHECK((passed.bodies[2].x - exact.bodies[2].x).norm() < 1e-5);
}

TEST_CASE("the branch of the state at the end of a run is judged as that at the end of any step") {
  const FourBar kite = moving_kite();
  const Model model(kite.mechanism);
  const State start = consistent_start(model, kite.start);
  SimulationOptions options;
  options.method = "rkmk4", options.constraints = Treatment::dynamic;
  int doubtful = 0;
  for (const double step : {0.01, 0.02, 0.03, 0.04}) {
    options.step = step, options.t_end = 1;
    const RunSummary whole = run(model, start, options).summary;
    if (whole.message.find("its branch is in doubt") == std::string::npos) continue;
    ++doubtful;
    for (const bool jump : {false, true}) {
      const RunSummary stopped = stopped_at(whole.t, jump, kite, options).summary;
      CHECK(stopped.status == StepStatus::singular);
      CHECK(stopped.t < whole.t - step / 2);  // the step to this state gives no outputs
    }
    options.t_end = whole.t;
    const RunSummary end = run(model, start, options).summary;
    CHECK((end.status == StepStatus::singular && end.message.find("rkmk4: failed at t = ") == 0));
  }
  CHECK(doubtful > 0);
}

TEST_CASE("under a tolerance, a run goes back from a stop event at a state whose branch is in doubt") {
  const FourBar kite = moving_kite();
  const Model model(kite.mechanism);
  SimulationOptions options;
  options.method = "rkmk-dop853", options.constraints = Treatment::dynamic, options.tolerance = 1e-3;
  const RunSummary whole = run(model, consistent_start(model, kite.start), options).summary;
  REQUIRE(whole.message.find("its branch is in doubt") != std::string::npos);
  for (const bool jump : {false, true}) {
    const Trajectory stopped = stopped_at(whole.t, jump, kite, options);
    CHECK(stopped.summary.status == StepStatus::singular);
    CHECK(stopped.summary.events.empty());
    CHECK(stopped.summary.accepted > static_cast<long>(stopped.samples.size()));  // steps were repeated
    for (std::size_t i = 1; i < stopped.samples.size(); ++i)
      CHECK(stopped.samples[i].t > stopped.samples[i - 1].t);
    CHECK(stopped.samples.back().t < whole.t);
    CHECK(stopped_at(0.9 * whole.t, jump, kite, options).summary.status == StepStatus::event);
  }
}
