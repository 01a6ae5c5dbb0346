#include <doctest/doctest.h>

#include <limits>

#include "torsor/run/simulate.hpp"

using namespace torsor;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

/// The error message after a change to valid options; empty if they are still valid.
template <class Change>
std::string reason(const Change& change) {
  SimulationOptions options;
  options.method = "rkmk4";
  options.step = 0.01;
  change(options);
  return options.why_invalid().value_or("");
}

}  // namespace

TEST_CASE("valid options are accepted") {
  CHECK(reason([](auto&) {}) == "");
  CHECK(reason([](auto& o) { o.step.reset(), o.tolerance = 1e-6; }) == "");
  CHECK(reason([](auto& o) { o.step = 10; }) == "");  // longer than the run: one step
  CHECK(reason([](auto& o) { o.t_end = o.t_begin = 3; }) == "");
}

TEST_CASE("default options are valid and have the default tolerance of scenes") {
  const SimulationOptions options;
  CHECK(options.why_invalid().value_or("") == "");
  CHECK(options.tolerance_in_force() == 1e-9);
  SimulationOptions fixed;
  fixed.step = 0.1;
  CHECK_FALSE(fixed.tolerance_in_force());
}

TEST_CASE("step size and tolerance are exclusive and must be valid") {
  CHECK(reason([](auto& o) { o.tolerance = 1e-6; }) == "both step and tolerance are given; give one of them");
  CHECK(reason([](auto& o) { o.step.reset(); }) == "");
  CHECK(reason([](auto& o) { o.step.reset(), o.method = "lie-verlet"; }) ==
        "lie-verlet takes a fixed step; give a step");
  CHECK(reason([](auto& o) { o.step = 0; }) == "step must be positive and finite, got 0");
  CHECK(reason([](auto& o) { o.step = -0.1; }) == "step must be positive and finite, got -0.1");
  CHECK(reason([](auto& o) { o.step = not_a_number; }) == "step must be positive and finite, got nan");
  CHECK(reason([](auto& o) { o.step = inf; }) == "step must be positive and finite, got inf");
  for (const auto& [tolerance, text] :
       {std::pair(0., "0"), {1.5, "1.5"}, {-1e-3, "-0.001"}, {not_a_number, "nan"}})
    CHECK(reason([&, tolerance = tolerance](auto& o) { o.step.reset(), o.tolerance = tolerance; }) ==
          std::string("tolerance must be above 0 and at most 1, got ") + text);
  CHECK(reason([](auto& o) { o.step.reset(), o.tolerance = 1; }) == "");  // scenes allow it
  CHECK(reason([](auto& o) { o.first_step = 0.1; }) ==
        "first_step is valid only with a tolerance, not with a fixed step");
  CHECK(reason([](auto& o) { o.step.reset(), o.tolerance = 1e-6, o.first_step = -1; }) ==
        "first_step must be positive and finite, got -1");
}

TEST_CASE("an unknown method is refused with the name of the nearest method") {
  CHECK(reason([](auto& o) { o.method = "rkmk_dopri5"; }) ==
        "unknown method \"rkmk_dopri5\"; did you mean \"rkmk-dopri5\"?");
  CHECK(reason([](auto& o) { o.method = "RKMK4"; }) == "unknown method \"RKMK4\"; did you mean \"rkmk4\"?");
}

TEST_CASE("a method that needs a fixed step size refuses a tolerance") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const std::string why =
        reason([&](auto& o) { o.method = method.name, o.step.reset(), o.tolerance = 1e-6; });
    CHECK((why == std::string(method.name) + " takes a fixed step only; give a step, not a tolerance") ==
          method.fixed_step_only);
  }
}

TEST_CASE("unsuitable connections and invalid limits and times are refused") {
  CHECK(reason([](auto& o) { o.connection = StepConnection::christoffel; }) ==
        "the steps of rkmk4 do not follow the autoparallels of the connection christoffel");
  CHECK(reason([](auto& o) { o.min_step = -1; }) == "min_step must not be negative, got -1");
  CHECK(reason([](auto& o) { o.max_step = 0; }) == "max_step must be positive, got 0");
  CHECK(reason([](auto& o) { o.min_step = 2, o.max_step = 1; }) == "min_step 2 is greater than max_step 1");
  CHECK(reason([](auto& o) { o.max_step = 0.001; }) == "step 0.01 is greater than max_step 0.001");
  CHECK(reason([](auto& o) { o.min_step = 0.1; }) == "step 0.01 is less than min_step 0.1");
  CHECK(reason([](auto& o) { o.max_steps = 0; }) == "max_steps must be positive, got 0");
  CHECK(reason([](auto& o) { o.wall_limit = 0; }) == "wall_limit must be positive, got 0");
  CHECK(reason([](auto& o) { o.t_end = -1; }) == "end -1 is before begin 0");
  CHECK(reason([](auto& o) { o.t_end = not_a_number; }) == "begin and end must be finite, got 0 and nan");
  CHECK(reason([](auto& o) { o.t_end = inf; }) == "begin and end must be finite, got 0 and inf");
  CHECK(reason([](auto& o) { o.output_step = not_a_number; }) == "output step must not be negative, got nan");
  CHECK(reason([](auto& o) { o.output_step = 1e-30; }).find("is below the resolution of time") !=
        std::string::npos);
  CHECK(reason([](auto& o) { o.output_times = {0.2, 0.1}; }) == "output times must be in ascending order");
  CHECK(reason([](auto& o) { o.output_times = {0.2, 1.5}; }) == "output time 1.5 is outside the run, 0 to 1");
}

TEST_CASE("parameters of the treatments of constraints that are not positive and finite are refused") {
  const std::string why = " of the treatment of constraints must be positive and finite, got ";
  for (const auto& [value, text] : {std::pair(0., "0"), {-20., "-20"}, {not_a_number, "nan"}, {inf, "inf"}}) {
    const double bad = value;
    CHECK(reason([=](auto& o) { o.treatment.rate = bad; }) == "rate" + why + text);
    CHECK(reason([=](auto& o) { o.treatment.damping_ratio = bad; }) == "damping_ratio" + why + text);
    CHECK(reason([=](auto& o) { o.treatment.mu = bad; }) == "mu" + why + text);
    CHECK(reason([=](auto& o) { o.treatment.eps = bad; }) == "eps" + why + text);
  }
}

TEST_CASE("events without a function or with an invalid direction are refused") {
  CHECK(reason([](auto& o) { o.events = {{"hit", {}, 0, false}}; }) == "event \"hit\" has no function");
  const auto zero = [](double, const State&) { return 0.; };
  CHECK(reason([&](auto& o) {
          o.events = {{"hit", zero, 2, false}};
        }) == "event \"hit\": direction must be -1, 0 or 1, got 2");
}
