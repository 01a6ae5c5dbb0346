// The sign changes of a function in a step whose rates are not all known.
#include "run/sign_changes.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numbers>

using namespace torsor::mechanics;

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// The intervals with sign changes of f in a step of size h. The rate at the time s is known if `known(s)`.
SignChanges changes_of(const std::function<double(double s)>& f, double h,
                       const std::function<bool(double s)>& known) {
  const SignChanges::At at = [&](double s, double d) {
    return PointOfFunction{s, f(s), known(s) ? (f(s + d) - f(s)) / d : not_known};
  };
  std::array<ValueAtPart, parts_inside.size()> inside{};
  for (std::size_t k = 0; k < inside.size(); ++k) inside[k] = {parts_inside[k], f(parts_inside[k] * h)};
  SignChanges changes;
  const double d = part_for_rates * h;
  changes.find(at(0, d), at(h, -d), inside, 1e-16, at);
  return changes;
}

}  // namespace

TEST_CASE("all sign changes in a step are found, also where rates are not known") {
  constexpr double h = 0.03;
  const std::function<bool(double)> known[] = {
      [](double) { return true; }, [](double s) { return s > 0; }, [](double s) { return s < h; },
      [](double s) { return s > h / 3; }, [](double) { return false; }};
  for (const double w : {10., 50., 150., 300., 700., 2000.})
    for (std::size_t k = 0; k < std::size(known); ++k) {
      CAPTURE(w);
      CAPTURE(k);
      const SignChanges changes = changes_of([w](double s) { return std::sin(w * s + 0.1); }, h, known[k]);
      CHECK_FALSE(changes.too_many());
      CHECK(changes.found().size() == static_cast<std::size_t>((w * h + 0.1) / std::numbers::pi));
      for (std::size_t i = 0; i < changes.found().size(); ++i) {
        const double zero = (static_cast<double>(i + 1) * std::numbers::pi - 0.1) / w;
        CHECK(changes.found()[i].first.s < zero);
        CHECK(changes.found()[i].second.s > zero);
      }
    }
}

TEST_CASE("a function that nearly touches zero needs few evaluations where its rates are not known") {
  for (const double least : {0., 1e-14, 1e-9, 1e-4, -1e-9, -1e-4}) {
    CAPTURE(least);
    int evaluations = 0;
    const auto f = [&](double s) {
      ++evaluations;
      return (s - 0.0123) * (s - 0.0123) + least;
    };
    const SignChanges changes = changes_of(f, 0.03, [](double) { return false; });
    CHECK(changes.found().size() == (least < 0 ? 2 : 0));
    CHECK(evaluations < 200);
  }
}
