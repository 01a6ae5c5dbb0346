// When functions of the time alone leave their sides in a step that is much longer than their periods.
#include "run/time_scan.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace torsor;
using namespace torsor::mechanics;

namespace {

struct Found {
  double from = 0, s = std::numeric_limits<double>::infinity();
};

/// The first change of the sign of f(t) after t = 0, within h.
Found first_change(const std::function<double(double)>& f, double h) {
  TimeScan scan;
  Found found;
  const double side = f(1e-9) < 0 ? -1 : 1;
  const auto at = [&](double s, Vec& values) {
    values = Vec::Constant(1, f(s));
    return true;
  };
  const auto left = [&](std::size_t, double from, double s) { found = {from, s}; };
  CHECK(scan.scan(
      h, at, [side](std::size_t, double, double value) { return side * value < 0; }, left));
  CHECK(scan.is_of_time(0));
  return found;
}

}  // namespace

TEST_CASE("the first of many sign changes of a function of time is found, however long the step") {
  for (const double w : {0.3, 1., 11., 60.})
    for (const double level : {0., 0.5, 0.9, 0.99, 0.9999, -0.5, -0.9999})
      for (double h = 0.01; h < 30; h *= 1.3) {
        CAPTURE(w);
        CAPTURE(level);
        CAPTURE(h);
        const double rise = std::asin(level) / w, fall = (std::acos(-1.) - std::asin(level)) / w;
        const double first = rise > 1e-9 ? rise : fall,
                     second = rise > 1e-9 ? fall : rise + 2 * std::acos(-1.) / w;
        const Found found = first_change([&](double t) { return std::sin(w * t) - level; }, h);
        CHECK((found.s <= h) == (first < h));
        if (first >= h) continue;
        CHECK(found.from <= first);
        CHECK(found.s >= first);
        CHECK(found.s <= second);
      }
}

TEST_CASE("a dip beside a sample is found, with a time before it") {
  for (double centre = 0.5; centre < 9.9; centre += 0.0037)
    for (const double depth : {1e-4, 1e-7}) {
      CAPTURE(centre);
      CAPTURE(depth);
      const Found found =
          first_change([&](double t) { return (t - centre) * (t - centre) / 100 - depth * depth; }, 10);
      CHECK(std::abs(found.s - centre) < 20 * depth);
      CHECK(found.from < found.s);
    }
}

TEST_CASE("a function with too many periods in a step is told") {
  TimeScan scan;
  const auto at = [](double s, Vec& values) {
    values = Vec::Constant(1, 2 + std::sin(1e6 * s));
    return true;
  };
  const auto never = [](std::size_t, double, double) { return false; };
  CHECK(scan.scan(1, at, never, [](std::size_t, double, double) {}));
  CHECK_FALSE(scan.is_complete());
}

TEST_CASE(
    "the first jump of a square wave is found in steps of a few periods; times without values are left out") {
  for (double h = 0.3; h < 4; h *= 1.1) {
    CAPTURE(h);
    const Found found = first_change([](double t) { return std::fmod(t + 0.5, 1) < 0.65 ? -1. : 1.; }, h);
    CHECK((found.s <= h) == (h >= 0.15));
    CHECK(found.from <= 0.15);
  }
  CHECK(first_change([](double t) { return t > 2 ? std::nan("") : 1.; }, 5).s > 5);
}
