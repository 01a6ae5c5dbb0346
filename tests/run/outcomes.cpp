#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "line_system.hpp"
#include "torsor/run/simulate.hpp"

using namespace torsor;

namespace {

SimulationOptions fixed(double step, double t_end, const char* method = "rkmk4") {
  SimulationOptions options;
  options.method = method;
  options.step = step;
  options.t_end = t_end;
  return options;
}

/// q'' = -q until t = `until`; from then on, `failure` gives the acceleration.
LineSystem fails_at(double until, std::function<double()> failure) {
  return {1, [=](double t, VecIn q, VecIn, VecOut a) { a[0] = t < until ? -q[0] : failure(); }};
}
double throw_runtime_error() { throw std::runtime_error("out of range"); }
double throw_bad_alloc() { throw std::bad_alloc(); }
double throw_singular() { throw EvaluationError(StepStatus::singular, "no inertia"); }

bool on_the_way(const RunSummary& summary) { return std::abs(summary.x.q[0] - std::cos(summary.t)) < 1e-5; }

}  // namespace

TEST_CASE("a run ends before a pole") {
  for (const char* method : {"rkmk-ck54", "rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dopri8"})
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      CAPTURE(method);
      CAPTURE(tolerance);
      const auto summary = simulate(pole(), line_state(0, 1), controlled(tolerance, 2, method));
      CHECK((summary.status == StepStatus::underflow || summary.status == StepStatus::non_finite));
      CHECK(summary.t < 1 + 10 * tolerance);
      CHECK(summary.x.v.allFinite());
      CHECK(summary.message.find(std::string(method) + ": step from t = ") == 0);
    }
  const auto summary = simulate(pole(), line_state(0, 1), fixed(0.01, 100));
  CHECK(summary.status == StepStatus::non_finite);
  CHECK(summary.x.v.allFinite());
}

TEST_CASE("tolerances below rounding and steps below the resolution of time end the run at once") {
  auto summary = simulate(oscillator(), line_state(1, 0), controlled(1e-30, 1));
  CHECK(summary.status == StepStatus::underflow);
  CHECK(summary.accepted == 0);
  CHECK(summary.rejected < 100);
  CHECK(
      summary.message.find("times the permitted error of a step, and a smaller step would be below 3.55e-15: "
                           "the error is due to rounding, and a tolerance below ") != std::string::npos);
  summary = simulate(oscillator(), line_state(1, 0), controlled(1e-15, 1));
  CHECK(summary.status == StepStatus::underflow);
  CHECK(summary.message.ends_with(" cannot be met"));
  CHECK_FALSE(simulate(pole(), line_state(0, 1), controlled(1e-10, 2)).message.ends_with(" cannot be met"));

  for (auto options : {controlled(1e-6, 0), fixed(1e-3, 0)}) {
    options.t_begin = 1e17;
    options.t_end = 1e17 + 1024;
    summary = simulate(oscillator(), line_state(1, 0), options);
    if (options.step) CHECK(summary.status == StepStatus::underflow);
    options.t_end = 1e17 + 64;
    CHECK(simulate(oscillator(), line_state(1, 0), options).status == StepStatus::underflow);
  }
  CHECK(simulate(oscillator(), line_state(1, 0), fixed(1e-16, 1)).status == StepStatus::underflow);
}

TEST_CASE("exceptions of callbacks end the run as callback-failed with their message, and none escapes") {
  const auto none = [](const auto&...) {};
  struct Odd {};  // not derived from std::exception
  const auto outcome = [&](const char* words, auto&& change, const Observer& observer) {
    CAPTURE(words);
    for (auto options : {controlled(1e-6, 1), fixed(0.01, 1)}) {
      options.output_step = 0.1;
      change(options);
      const RunSummary summary = simulate(oscillator(), line_state(1, 0), options, observer);
      CHECK(summary.status == StepStatus::callback_failed);
      CHECK(summary.message.find(words) != std::string::npos);
      CHECK(on_the_way(summary));
    }
  };
  for (const double when : {0., 0.35, 0.8, 1.}) {  // the last is the output at the end
    CAPTURE(when);
    const auto full = [when](double t, const State&) {
      if (t >= when) throw std::runtime_error("disk full");
    };
    outcome("the observer threw: disk full", none, full);
    const auto odd = [when](double t, const State&) {
      if (t >= when) throw Odd();
    };
    outcome("the observer threw an object that is not an exception", none, odd);
  }
  outcome("progress threw: no terminal",
          [](auto& o) {
            o.progress = [](double t) {
              if (t > 0.5) throw std::runtime_error("no terminal");
            };
          },
          {});
  outcome("cancelled threw: no signal",
          [](auto& o) { o.cancelled = []() -> bool { throw std::runtime_error("no signal"); }; }, {});
  outcome("event \"odd\" threw an object that is not an exception",
          [](auto& o) {
            o.events.push_back({"odd", [](double t, const State&) { return t > 0.5 ? throw Odd() : 1.; }});
          },
          {});
}

TEST_CASE("the message of a failure at the end of a step names this time, at which no step begins") {
  auto options = fixed(0.125, 1);
  options.progress = [](double t) {
    if (t > 0.5) throw std::runtime_error("no terminal");
  };
  CHECK(simulate(oscillator(), line_state(1, 0), options).message ==
        "rkmk4: failed at t = 0.625: progress threw: no terminal");
}

TEST_CASE("a run notes that the estimated errors of its steps add up to far more than its tolerance") {
  const auto noted = [](const char* method, double t_end) {
    const RunSummary summary = simulate(oscillator(), line_state(1, 0), controlled(1e-8, t_end, method));
    CHECK(summary.status == StepStatus::reached_end);
    const bool large = std::abs(summary.x.q[0] - std::cos(t_end)) > 30e-8;
    CHECK_MESSAGE((large || summary.note.empty()), summary.note);
    return summary.note.find(
               "the tolerance may not have been reached: the estimated errors of the steps add up to ") == 0;
  };
  CHECK(noted("lie-midpoint", 200));
  CHECK(noted("lie-midpoint", 20));         // they add up to 177 times the tolerance
  CHECK_FALSE(noted("lie-midpoint", 10));   // to 89 times
  CHECK_FALSE(noted("rkmk-dopri5", 2000));  // its estimate is that of a less accurate solution
}

TEST_CASE("std::bad_alloc from a user's function leaves the run") {
  const Observer full = [](double t, const State&) {
    if (t > 0.5) throw std::bad_alloc();
  };
  for (auto options : {controlled(1e-6, 1), fixed(0.01, 1)}) {
    options.output_step = 0.1;
    CHECK_THROWS_AS(simulate(oscillator(), line_state(1, 0), options, full), std::bad_alloc);
    options.progress = [](double) { throw std::bad_alloc(); };
    CHECK_THROWS_AS(simulate(oscillator(), line_state(1, 0), options), std::bad_alloc);
    options.progress = {};
    CHECK_THROWS_AS(simulate(fails_at(0.5, throw_bad_alloc), line_state(1, 0), options), std::bad_alloc);
    options.events.push_back(
        {"full", [](double t, const State&) { return t > 0.5 ? throw_bad_alloc() : 1.; }});
    CHECK_THROWS_AS(simulate(oscillator(), line_state(1, 0), options), std::bad_alloc);
  }
}

TEST_CASE("a start of another size than the system is refused") {
  for (const auto& [nq, nv] : {std::pair(0, 1), {1, 0}, {2, 1}, {1, 2}}) {
    const State x{Vec::Zero(nq), Vec::Zero(nv), {}};
    CHECK_THROWS_AS(simulate(oscillator(), x, controlled(1e-6, 1)), std::invalid_argument);
  }
}

TEST_CASE("default options give the default tolerance of scenes") {
  const RunSummary summary = simulate(oscillator(), line_state(1, 0), {});
  CHECK(summary.status == StepStatus::reached_end);
  CHECK(std::abs(summary.x.q[0] - std::cos(1.)) < 1e-8);
  CHECK(summary.x.q == simulate(oscillator(), line_state(1, 0), controlled(1e-9, 1)).x.q);
}

TEST_CASE("the step size does not fall below the minimum") {
  auto options = controlled(1e-12, 1);
  options.min_step = 0.1;
  const auto summary = simulate(oscillator(), line_state(1, 0), options);
  CHECK(summary.status == StepStatus::underflow);
  CHECK(summary.message.find("a smaller step would be below 0.1") != std::string::npos);
}

TEST_CASE("the step size does not exceed the maximum") {
  auto options = controlled(1e-3, 10);
  options.max_step = 0.125;
  CHECK(simulate(oscillator(), line_state(1, 0), options).accepted >= 80);
}

TEST_CASE("values that are not finite are never accepted, whether temporary or permanent") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
    const auto system = fails_at(0.5, [=] { return bad; });
    auto summary = simulate(system, line_state(1, 0), controlled(1e-8, 1));
    CHECK(summary.status == StepStatus::non_finite);
    CHECK(summary.t <= 0.5);
    CHECK(summary.t > 0.4);
    CHECK(on_the_way(summary));
    summary = simulate(system, line_state(1, 0), fixed(0.01, 1));
    CHECK(summary.status == StepStatus::non_finite);
    CHECK(on_the_way(summary));
  }
  CHECK(simulate(fails_at(0, [=] { return nan; }), line_state(1, 0), controlled(1e-8, 1)).status ==
        StepStatus::non_finite);
  CHECK(simulate(oscillator(), line_state(nan, 0), controlled(1e-8, 1)).status == StepStatus::non_finite);

  int calls = 0;
  const auto once = fails_at(0.3, [&] { return ++calls == 1 ? nan : -std::cos(0.3); });
  CHECK(simulate(once, line_state(1, 0), controlled(1e-3, 0.31)).status == StepStatus::reached_end);
  CHECK(calls > 1);
}

TEST_CASE("an exception of the field at any call ends the run with its message") {
  for (const char* method : {"rkmk4", "rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dopri8"})
    for (int k = 1; k <= 100; ++k) {
      int calls = 0;
      const LineSystem system(1, [&](double, VecIn q, VecIn, VecOut a) {
        if (++calls == k) throw std::runtime_error("call failed");
        a = -q;
      });
      auto options = fixed(0.01, 1, method);
      if (std::string(method) != "rkmk4") options = controlled(1e-12, 10, method);
      const auto summary = simulate(system, line_state(1, 0), options);
      CHECK(summary.status == StepStatus::callback_failed);
      CHECK(summary.message.find("failed: call failed") != std::string::npos);
      CHECK(on_the_way(summary));
    }
}

TEST_CASE("the field is not evaluated after the end of the run, however slow the motion is") {
  const LineSystem slow(1, [](double t, VecIn, VecIn, VecOut a) {
    if (t > 1) throw std::domain_error("no load is known after the end");
    a[0] = 1e-4 * t;
  });
  const auto summary = simulate(slow, line_state(0, 0), controlled(1e-9, 1));
  CHECK(summary.status == StepStatus::reached_end);
  CHECK(summary.x.v[0] == doctest::Approx(5e-5).scale(0));
}

TEST_CASE("failed evaluations keep their status") {
  auto summary = simulate(fails_at(0.5, throw_singular), line_state(1, 0), controlled(1e-8, 1));
  CHECK(summary.status == StepStatus::singular);
  CHECK(summary.message.find("no inertia") != std::string::npos);
  summary = simulate(fails_at(0.5, throw_runtime_error), line_state(1, 0), fixed(0.1, 1));
  CHECK(summary.status == StepStatus::callback_failed);
  CHECK(summary.message == "rkmk4: step from t = 0.4 with h = 0.1 failed: out of range");
  CHECK(summary.t == 0.4);
}

TEST_CASE(
    "a nonlinear solve that fails ends the run, and the message gives the residual, or says that it is not "
    "finite") {
  const LineSystem steep(1, [](double, VecIn, VecIn v, VecOut a) { a[0] = -100 * std::atan(100 * v[0]); });
  const auto summary = simulate(steep, line_state(0, 1), fixed(1, 10, "lie-midpoint"));
  CHECK(summary.status == StepStatus::newton_failed);
  CHECK(summary.message.find("lie-midpoint: step from t = 0 with h = 1 failed: residual ") == 0);
  const auto no_value = fails_at(0.5, [] { return std::nan(""); });
  for (const char* method : {"lie-midpoint", "generalized-alpha", "bliedf2"}) {
    CAPTURE(std::string(method));
    const std::string message = simulate(no_value, line_state(1, 0), fixed(0.1, 1, method)).message;
    CHECK_MESSAGE(message.ends_with("failed: the residual of Newton's iteration is not finite"), message);
  }
}

TEST_CASE("limits and cancellation end a run with its last good state") {
  auto options = controlled(1e-8, 1e6);
  options.max_steps = 50;
  auto summary = simulate(oscillator(), line_state(1, 0), options);
  CHECK(summary.status == StepStatus::step_limit);
  CHECK(summary.accepted + summary.rejected == 50);
  CHECK(summary.message.find("rkmk-dopri5: the limit of 50 steps was reached at t = ") == 0);

  options = controlled(1e-8, 1e6);
  int asked = 0;
  options.cancelled = [&] { return ++asked > 20; };
  double last = -1;
  summary = simulate(oscillator(), line_state(1, 0), options, [&](double t, const State&) { last = t; });
  CHECK(summary.status == StepStatus::cancelled);
  CHECK(summary.t == last);
  CHECK(summary.t > 0);
  CHECK(on_the_way(summary));

  options = fixed(1e-3, 1e9);
  options.wall_limit = 0.05;
  summary = simulate(oscillator(), line_state(1, 0), options);
  CHECK(summary.status == StepStatus::cancelled);
  CHECK(summary.message.find("the wall-time limit of 0.05 s passed") != std::string::npos);
}

TEST_CASE("a run cancelled between outputs ends at the last output") {
  auto options = fixed(1, 10);
  options.output_step = 1e-3;
  int asked = 0;
  options.cancelled = [&] { return ++asked > 100; };
  double last = -1;
  const auto summary =
      simulate(oscillator(), line_state(1, 0), options, [&](double t, const State&) { last = t; });
  CHECK(summary.status == StepStatus::cancelled);
  CHECK(summary.t == last);
  CHECK(summary.t > 0.05);
  CHECK(summary.t < 0.15);
  CHECK(std::abs(summary.x.q[0] - std::cos(summary.t)) < 1e-6);
}

TEST_CASE("a run that fails between two outputs of a step ends at the first of them, with its state") {
  auto options = fixed(1, 1);
  options.output_times = {0.2, 0.5};
  const LineSystem gap(1, [](double t, VecIn q, VecIn, VecOut a) {
    if (t == 0.25) throw_runtime_error();
    a = -q;
  });
  const auto summary = simulate(gap, line_state(1, 0), options);
  CHECK(summary.status == StepStatus::callback_failed);
  CHECK(summary.t == 0.2);
  CHECK(on_the_way(summary));
}

TEST_CASE("the time and the state of a run whose observer throws belong together") {
  auto options = fixed(0.25, 1);
  options.output_step = 0.125;
  for (const double when : {0.125, 0.25, 0.375, 0.5}) {
    CAPTURE(when);
    const auto full = [when](double t, const State&) {
      if (t >= when) throw std::runtime_error("disk full");
    };
    const auto summary = simulate(oscillator(), line_state(1, 0), options, full);
    CHECK(summary.status == StepStatus::callback_failed);
    CHECK(std::abs(summary.x.q[0] - std::cos(summary.t)) < 1e-3);
    CHECK(summary.t == when - 0.125);  // the time of the last output
  }
}

TEST_CASE("invalid options throw invalid_argument") {
  CHECK_THROWS_WITH_AS(simulate(oscillator(), line_state(1, 0), fixed(-1, 1)),
                       "step must be positive and finite, got -1", std::invalid_argument);
}

TEST_CASE("options whose make_method returns no method are refused, also with a spectral radius") {
  auto options = fixed(0.01, 1);
  options.make_method = [] { return std::unique_ptr<Stepper>(); };
  const char* const none = "make_method of the options returned no method";
  CHECK_THROWS_WITH_AS(simulate(oscillator(), line_state(1, 0), options), none, std::invalid_argument);
  options.method = "generalized-alpha", options.spectral_radius = 0.5;
  CHECK_THROWS_WITH_AS(simulate(oscillator(), line_state(1, 0), options), none, std::invalid_argument);
}
