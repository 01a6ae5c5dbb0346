#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "line_system.hpp"
#include "support/greatest.hpp"
#include "system/heavy_top.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/system/tree_system.hpp"

using namespace torsor;

namespace {

struct Recorder {
  std::vector<double> t;
  std::vector<State> x;
  Observer observer() {
    return [this](double now, const State& state) { t.push_back(now), x.push_back(state); };
  }
};

}  // namespace

TEST_CASE("output times are the grid, the listed times, the start and the end, each once") {
  auto options = controlled(1e-9, 1);
  options.output_step = 0.25;
  options.output_times = {0, 0.1, 0.25, 0.6, 1};
  Recorder seen;
  const auto summary = simulate(oscillator(), line_state(1, 0), options, seen.observer());
  CHECK(summary.status == StepStatus::reached_end);
  CHECK(seen.t == std::vector<double>{0, 0.1, 0.25, 0.5, 0.6, 0.75, 1});
  for (std::size_t i = 0; i < seen.t.size(); ++i)
    CHECK(std::abs(seen.x[i].q[0] - std::cos(seen.t[i])) < 1e-8);
}

TEST_CASE("the last output is exactly at the end, even where the grid misses it by rounding") {
  auto options = controlled(1e-9, 0.3);
  options.output_step = 0.1;  // 3 * 0.1 is above 0.3
  Recorder seen;
  const auto summary = simulate(oscillator(), line_state(1, 0), options, seen.observer());
  CHECK(summary.t == 0.3);
  CHECK(seen.t == std::vector<double>{0, 0.1, 0.2, 0.3});
}

TEST_CASE("output on a grid far finer than the steps is as accurate as the steps") {
  auto options = controlled(1e-6, 10);
  options.output_step = 0.01;
  Recorder seen;
  const auto summary = simulate(oscillator(), line_state(1, 0), options, seen.observer());
  REQUIRE(seen.t.size() == 1001);
  CHECK(summary.accepted < 200);
  for (std::size_t i = 0; i < seen.t.size(); ++i) {
    CHECK(std::abs(seen.t[i] - 0.01 * static_cast<double>(i)) < 1e-13);
    CHECK(std::abs(seen.x[i].q[0] - std::cos(seen.t[i])) < 2e-5);
  }
}

TEST_CASE("without an output step every accepted step is an output") {
  Recorder seen;
  const auto summary = simulate(oscillator(), line_state(1, 0), controlled(1e-6, 3), seen.observer());
  CHECK(static_cast<long>(seen.t.size()) == summary.accepted + 1);
  CHECK(seen.t.back() == 3);
}

TEST_CASE("outputs and events do not change the steps") {
  for (const char* method : {"rkmk4", "rkmk-dopri5", "rkmk-fehlberg78"}) {
    CAPTURE(method);
    auto plain = controlled(1e-8, 7.3);
    plain.method = method;
    auto watched = plain;
    watched.output_step = 0.013;
    watched.events = {{"zero", [](double, const State& x) { return x.q[0]; }, 0, false}};
    std::vector<double> times, times_watched;
    plain.progress = [&](double t) { times.push_back(t); };
    watched.progress = [&](double t) { times_watched.push_back(t); };
    const auto a = simulate(oscillator(), line_state(1, 0), plain);
    const auto b = simulate(oscillator(), line_state(1, 0), watched);
    CHECK(times == times_watched);
    CHECK(a.x.q == b.x.q);
    CHECK(a.x.v == b.x.v);
    CHECK(a.rejected == b.rejected);
    CHECK(b.events.size() == 2);
  }
}

TEST_CASE("the last step ends exactly at the end, whatever the step size") {
  SimulationOptions options;
  options.method = "rkmk4";
  for (const double step : {0.003, 0.01, 1. / 3, 1., 5.}) {
    CAPTURE(step);
    options.step = step;
    const auto summary = simulate(oscillator(), line_state(1, 0), options);
    CHECK(summary.status == StepStatus::reached_end);
    CHECK(summary.t == 1);
    CHECK(summary.accepted == std::ceil(1 / step - 1e-9));
    CHECK(std::abs(summary.x.q[0] - std::cos(1.)) < 0.02 * std::pow(std::min(step, 1.), 4) + 1e-14);
  }
}

TEST_CASE("fixed steps stay on the grid k h") {
  SimulationOptions options;
  options.method = "rkmk4";
  options.step = 1e-3;
  options.t_end = 100;
  long k = 0;
  double worst = 0;
  options.progress = [&](double t) { worst = test::greatest(worst, t - 1e-3 * static_cast<double>(++k)); };
  const auto summary = simulate(oscillator(), line_state(1, 0), options);
  CHECK(summary.accepted == 100000);
  CHECK(worst < 2e-14);  // a plain sum of the steps has an error of 1e-10 s
}

TEST_CASE("the first step of error control is rejected at most once") {
  const auto stiff = LineSystem(1, [](double, VecIn q, VecIn, VecOut a) { a = -1e6 * q; });
  for (const double tolerance : {1e-3, 1e-6, 1e-12}) {
    auto options = controlled(tolerance, 1);
    bool stepped = false;
    options.progress = [&](double) { stepped = true; };
    options.cancelled = [&] { return stepped; };
    CHECK(simulate(stiff, line_state(1, 0), options).rejected <= 1);
  }
}

TEST_CASE("a system at rest takes few steps") {
  const auto rest = LineSystem(1, [](double, VecIn, VecIn, VecOut a) { a.setZero(); });
  const auto summary = simulate(rest, line_state(1, 0), controlled(1e-6, 1000));
  CHECK(summary.status == StepStatus::reached_end);
  CHECK(summary.accepted < 30);
}

TEST_CASE("a system without degrees of freedom runs to its end") {
  const LineSystem nothing(0, [](double, VecIn, VecIn, VecOut) {});
  auto options = controlled(1e-6, 1);
  options.output_step = 0.5;
  Recorder seen;
  const auto summary = simulate(nothing, State(), options, seen.observer());
  CHECK(summary.status == StepStatus::reached_end);
  CHECK(seen.t == std::vector<double>{0, 0.5, 1});
}

TEST_CASE("a single top reports its progress in ascending times, at most 101 steps apart") {
  const Model model(heavy_top());
  const TreeSystem system(model, LinkLengths(model, heavy_top_start(model).q));
  std::vector<double> steps;  // the times of all steps, which do not depend on the outputs
  SimulationOptions options;
  options.method = "rkmk-dopri5", options.tolerance = 1e-9, options.t_end = 2;
  simulate(system, heavy_top_start(model), options, [&](double t, const State&) { steps.push_back(t); });
  for (const double output_step : {0., 1e-4, 0.5}) {
    CAPTURE(output_step);
    options.output_step = output_step;
    std::vector<double> times;
    options.progress = [&](double t) { times.push_back(t); };
    const RunSummary summary = simulate(system, heavy_top_start(model), options);
    CHECK(summary.status == StepStatus::reached_end);
    REQUIRE(static_cast<long>(steps.size()) == summary.accepted + 1);
    CHECK(std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) == times.end());
    REQUIRE_FALSE(times.empty());
    CHECK(times.back() == 2);
    CHECK(static_cast<long>(times.size()) < summary.accepted);
    auto last = steps.begin();
    for (const double t : times) {
      const auto reported = std::lower_bound(last, steps.end(), t);
      CHECK(reported - last <= 101);
      last = reported;
    }
  }
}
