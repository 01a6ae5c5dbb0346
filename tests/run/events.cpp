#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "line_system.hpp"
#include "torsor/run/simulate.hpp"

using namespace torsor;
using std::numbers::pi;

namespace {

double position(double, const State& x) { return x.q[0]; }
double velocity(double, const State& x) { return x.v[0]; }

SimulationOptions watch(std::vector<Event> events, double t_end = 10) {
  SimulationOptions options;
  options.method = "rkmk-fehlberg78";
  options.tolerance = 1e-13;
  options.t_end = t_end;
  options.events = std::move(events);
  return options;
}

RunSummary swing(const SimulationOptions& options) {
  return simulate(oscillator(), line_state(1, 0), options);
}

}  // namespace

TEST_CASE("crossings of cos t are located at their times") {
  const auto summary = swing(watch({{"zero", position, 0, false}}));
  REQUIRE(summary.events.size() == 3);
  for (int k = 0; k < 3; ++k) {
    CHECK(std::abs(summary.events[k].t - (k + 0.5) * pi) < 2e-12);
    CHECK(std::abs(summary.events[k].x.q[0]) < 1e-12);
  }
  CHECK(summary.status == StepStatus::reached_end);
}

TEST_CASE("the direction selects crossings") {
  const auto summary = swing(watch({{"rising", position, +1, false}, {"falling", position, -1, false}}));
  REQUIRE(summary.events.size() == 3);
  CHECK(summary.events[0].event == 1);
  CHECK(summary.events[1].event == 0);
  CHECK(summary.events[2].event == 1);
}

TEST_CASE("a stopping event ends the run at the event, after all earlier outputs") {
  auto options = watch({{"bottom", position, 0, true}});
  options.output_step = 1;
  std::vector<double> times;
  const auto summary =
      simulate(oscillator(), line_state(1, 0), options, [&](double t, const State&) { times.push_back(t); });
  CHECK(summary.status == StepStatus::event);
  CHECK(std::abs(summary.t - pi / 2) < 1e-12);
  CHECK(std::abs(summary.x.v[0] + 1) < 1e-12);
  CHECK(times == std::vector<double>{0, 1, summary.t});
  CHECK(summary.message.find("event \"bottom\" at t = 1.5707963267") == 0);
}

TEST_CASE("events in one step come in the order of time, and none after a stop") {
  SimulationOptions options = watch({}, 1);
  options.method = "rkmk4";
  options.tolerance.reset();
  options.step = 1;
  const auto at = [](double when) { return [=](double t, const State&) { return t - when; }; };
  options.events = {{"c", at(0.7), 0, false}, {"a", at(0.2), 0, false}, {"b", at(0.4), 0, false}};
  auto summary = swing(options);
  REQUIRE(summary.events.size() == 3);
  CHECK(summary.events[0].event == 1);
  CHECK(summary.events[1].event == 2);
  CHECK(summary.events[2].event == 0);
  CHECK(std::abs(summary.events[1].t - 0.4) < 1e-15);

  options.events[2].stop = true;
  summary = swing(options);
  CHECK(summary.events.size() == 2);
  CHECK(std::abs(summary.t - 0.4) < 1e-15);
}

TEST_CASE("crossings in one step are found if an output lies between them, and outputs come before a stop") {
  SimulationOptions options = watch({}, 1);
  options.method = "rkmk4";
  options.tolerance.reset();
  options.step = 1;
  options.output_step = 0.1;
  options.events = {{"pulse", [](double t, const State&) { return (t - 0.35) * (t - 0.55); }, 0, false}};
  auto summary = swing(options);
  REQUIRE(summary.events.size() == 2);
  CHECK(std::abs(summary.events[0].t - 0.35) < 1e-15);
  CHECK(std::abs(summary.events[1].t - 0.55) < 1e-15);
  CHECK(summary.accepted == 1);

  options.events[0].direction = 1;
  options.events[0].stop = true;
  std::vector<double> times, heights;
  summary = simulate(oscillator(), line_state(1, 0), options,
                     [&](double t, const State& x) { times.push_back(t), heights.push_back(x.q[0]); });
  CHECK(times.size() == 7);
  CHECK(std::abs(times.back() - 0.55) < 1e-15);
  for (std::size_t i = 0; i < times.size(); ++i) CHECK(std::abs(heights[i] - std::cos(times[i])) < 1e-3);
}

TEST_CASE("a crossing is located right after the start of a step, where the step to it has no length") {
  const auto summary =
      swing(watch({{"leap", [](double t, const State&) { return t > 0 ? 1e150 : -1e-300; }, 0, false}}, 1));
  CAPTURE(summary.message);
  CHECK(summary.status == StepStatus::reached_end);
  REQUIRE(summary.events.size() == 1);
  CHECK(summary.events[0].t < 1e-14);
}

TEST_CASE("a zero at the start is not a crossing, and a zero at the end of a step is one") {
  auto options = watch({{"top", velocity, 0, true}}, 2);
  CHECK(swing(options).status == StepStatus::reached_end);
  options.method = "rkmk4";
  options.tolerance.reset();
  options.step = 0.25;
  options.events = {{"grid", [](double t, const State&) { return t - 0.5; }, 0, false}};
  const auto summary = swing(options);
  REQUIRE(summary.events.size() == 1);
  CHECK(summary.events[0].t == 0.5);
}

TEST_CASE("a function that reaches zero and stays there crosses it where it reaches it") {
  const auto ramp = [](double t, const State&) { return std::min(t - 3.3, 0.); };
  const auto jump = [](double t, const State&) { return t < 3.3 ? -1. : 0.; };
  const auto of_position = [](double, const State& x) { return std::max(x.q[0], 0.); };
  const auto summary = swing(watch({{"ramp", ramp, +1, false}, {"jump", jump, +1, false}}, 5));
  REQUIRE(summary.events.size() == 2);
  for (const EventRecord& each : summary.events) CHECK(std::abs(each.t - 3.3) < 1e-14);
  const auto falling = swing(watch({{"of position", of_position, 0, false}}, 5));
  REQUIRE(falling.events.size() == 1);
  CHECK(std::abs(falling.events[0].t - pi / 2) < 2e-12);
}

TEST_CASE("events do not end a run whose field fails only where no step needs it") {
  auto options = watch({{"half", position, 0, false}}, 1);
  options.method = "lie-euler";
  options.tolerance.reset();
  options.step = 0.25;
  const LineSystem line(1, [](double t, VecIn, VecIn, VecOut a) {
    if (t >= 1) throw std::runtime_error("no data");
    a.setZero();
  });
  const auto summary = simulate(line, line_state(-0.6, 1), options);
  CAPTURE(summary.message);
  CHECK(summary.status == StepStatus::reached_end);
  REQUIRE(summary.events.size() == 1);
  CHECK(std::abs(summary.events[0].t - 0.6) < 1e-14);
}

TEST_CASE("an event function that fails ends the run, and the message names the event") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto summary = swing(watch({{"gap", [=](double t, const State&) { return t < 1 ? 1 : nan; }, 0, false}}));
  CHECK(summary.status == StepStatus::callback_failed);
  CHECK(summary.message.find("event \"gap\" is not a finite number at t = ") != std::string::npos);
  CHECK(summary.t < 1);
  CHECK(std::abs(summary.x.q[0] - std::cos(summary.t)) < 1e-11);

  summary = swing(
      watch({{"bad", [](double, const State&) -> double { throw std::runtime_error("no"); }, 0, false}}));
  CHECK(summary.status == StepStatus::callback_failed);
  CHECK(summary.message == "event \"bad\" threw at t = 0: no");

  summary = swing(watch({{"great", [](double, const State& x) { return 1e308 * x.q[0]; }, 0, false}}));
  CHECK(summary.status == StepStatus::callback_failed);
  CHECK(summary.message.find("event \"great\" is 1e+308 at t = 0, too large to compute its rate") !=
        std::string::npos);
}

TEST_CASE("an event may occur in every step, but a value that stays zero up to rounding ends the run") {
  SimulationOptions options = watch({}, 2500);
  options.method = "rkmk4";
  options.tolerance.reset();
  options.step = 1;
  const LineSystem still(1, [](double, VecIn, VecIn, VecOut a) { a.setZero(); });
  const auto summary = [&](double size) {
    const auto value = [size](double t, const State& x) { return x.q[0] + size * std::cos(pi * t); };
    options.events = {{"wave", value, 0, false}};
    return simulate(still, line_state(0, 0), options);
  };
  for (const double size : {1e-9, 1.}) {
    const RunSummary waves = summary(size);
    CHECK(waves.status == StepStatus::reached_end);
    REQUIRE(waves.events.size() == 2500);
    for (int k = 0; k < 2500; ++k) CHECK(std::abs(waves.events[k].t - (k + 0.5)) < 1e-9);
  }
  const RunSummary noise = summary(1e-18);
  CHECK(noise.status == StepStatus::callback_failed);
  CHECK_MESSAGE(
      noise.message.find("in each of the last 1000 steps, by no more than its rounding") != std::string::npos,
      noise.message);
}

TEST_CASE("all crossings in one step are found; if there are too many, the run ends with a message") {
  SimulationOptions options = watch({}, 10);
  options.tolerance.reset();
  for (const double step : {0.5, 0.8, 1.3}) {
    CAPTURE(step);
    options.step = step;
    // cos t is near 1 and -1 for 0.6 s each
    options.events = {{"near", [](double, const State& x) { return std::abs(x.q[0]) - 0.95; }, 0, false}};
    CHECK(swing(options).events.size() == 7);
    options.events[0].direction = 1;
    CHECK(swing(options).events.size() == 3);
  }
  // a wheel that turns at 1 rad/s: nothing limits its steps
  options = watch({{"turn", [](double, const State& x) { return std::sin(x.q[0]); }, 0, false}}, 100);
  const LineSystem wheel(1, [](double, VecIn, VecIn, VecOut a) { a.setZero(); });
  for (const double tolerance : {1e-12, 1e-9, 1e-3}) {
    CAPTURE(tolerance);
    options.tolerance = tolerance;
    const RunSummary summary = simulate(wheel, line_state(0, 1), options);
    REQUIRE(summary.events.size() == 31);
    for (std::size_t k = 0; k < 31; ++k) CHECK(std::abs(summary.events[k].t - double(k + 1) * pi) < 1e-11);
  }
  options.t_end = 1e6;
  const RunSummary summary = simulate(wheel, line_state(0, 1), options);
  CHECK(summary.status == StepStatus::callback_failed);
  CHECK(summary.message.find("crosses zero so often in one step") != std::string::npos);
}

TEST_CASE("a function with kinks is searched between the zeros of its switching functions") {
  SimulationOptions options = watch({}, 10);
  options.tolerance = 1e-6;
  const LineSystem cart(1, [](double, VecIn, VecIn, VecOut a) { a.setZero(); });
  const auto window = [](double, const State& x) { return 5 < x.q[0] && x.q[0] < 5.01 ? 1. : -1.; };
  const auto ends = [](double, const State& x, double* values) {
    values[0] = x.q[0] - 5, values[1] = x.q[0] - 5.01;
  };
  options.events = {{"window", window, 0, false}};
  CHECK(simulate(cart, line_state(0, 1), options).events.empty());
  options.events = {{"window", window, 0, false, 2, ends}};
  const RunSummary found = simulate(cart, line_state(0, 1), options);
  REQUIRE(found.events.size() == 2);
  CHECK(std::abs(found.events[0].t - 5) < 1e-9);
  CHECK(std::abs(found.events[1].t - 5.01) < 1e-9);
}

TEST_CASE("a start at the value of an event up to rounding is not a crossing") {
  for (const double start : {1e-17, -1e-17, 2e-16, -2e-16}) {
    CAPTURE(start);
    SimulationOptions options = watch({{"return", position, 0, true}});
    const RunSummary moving = simulate(oscillator(), line_state(start, 1), options);
    CHECK(moving.status == StepStatus::event);
    CHECK(std::abs(moving.t - pi) < 1e-11);
    options.events = {{"top", [](double, const State& x) { return x.q[0] - 1; }, 0, true}};
    const RunSummary resting = simulate(oscillator(), line_state(1 + start, 0), options);
    CHECK(resting.t > 6);
  }
  // a product whose first factor is rounding, and whose second factor is 0 at the start
  const LineSystem turning(2, [](double, VecIn q, VecIn, VecOut a) { a = -q; });
  State x;
  x.q.setZero(2), x.v.setZero(2);
  x.q[0] = 1e-17, x.v[1] = 1;
  const RunSummary rounded = simulate(
      turning, x,
      watch({{"noise",
              [](double t, const State& at) { return (at.q[0] + 1e-16 * std::sin(1e7 * t)) * at.q[1]; }, 0,
              false}}));
  CHECK(rounded.status == StepStatus::reached_end);
  const RunSummary crossing =
      simulate(oscillator(), line_state(-1e-9, 1), watch({{"near", position, 0, true}}));
  CHECK(crossing.t == doctest::Approx(1e-9).epsilon(1e-6).scale(0));
}
