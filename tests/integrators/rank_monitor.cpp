// The verdicts on the rank of constraint rows (docs/singular_configurations.md).
#include "integrators/rank_monitor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace torsor;

namespace {

/// The pivots of rows with this growth; 0 for a dependent row.
Pivots pivots_of(const std::vector<double>& growth) {
  Pivots pivots;
  pivots.growth = growth;
  const auto greatest = std::max_element(growth.begin(), growth.end());
  if (*greatest > 1) pivots.greatest = *greatest, pivots.greatest_row = int(greatest - growth.begin());
  const auto dependent = std::find(growth.begin(), growth.end(), 0);
  pivots.dependent = int(std::count(growth.begin(), growth.end(), 0));
  if (pivots.dependent > 0) pivots.dependent_row = int(dependent - growth.begin());
  return pivots;
}

bool begin_at(RankMonitor& monitor, const std::vector<double>& growth) {
  monitor.begin_step();
  return monitor.observe(pivots_of(growth));
}

}  // namespace

TEST_CASE("each verdict on the rank begins at its limit") {
  for (const double at_start : {1., 5.}) {
    RankMonitor monitor;
    REQUIRE(begin_at(monitor, {1, at_start}));
    const auto condition = [&](double value) { return begin_at(monitor, {1, value * at_start}); };
    CHECK((condition(1.9) && monitor.as_at_start()));
    CHECK((condition(2.1) && !monitor.as_at_start() && monitor.chooses_well() && !monitor.steep()));
    CHECK((condition(11) && !monitor.chooses_well() && monitor.steep()));
    CHECK((begin_at(monitor, {1, 6e6}) && !monitor.in_doubt()));
    CHECK((begin_at(monitor, {1, 7e6}) && monitor.in_doubt()));
    CHECK(monitor.worst_condition() == doctest::Approx(7e6 / at_start));
    CHECK((begin_at(monitor, {1, 9e12}) && monitor.worst_row() == 1));
    CHECK_FALSE(begin_at(monitor, {1, 1.1e13}));
    CHECK(monitor.loss("\"b\"", "2") == "the constraints lose rank at t = 2 in \"b\": condition 1.1e+13");
    const std::vector<double> growth = {1, at_start};
    Pivots unknown = pivots_of(growth);
    unknown.greatest = std::nan("");
    CHECK_FALSE(monitor.observe(unknown));
  }
}

TEST_CASE("a growth below a thousandth of that at the start shows that the start was near a loss of rank") {
  RankMonitor monitor;
  REQUIRE(begin_at(monitor, {1, 1e12}));
  CHECK_FALSE(monitor.start_was_near());
  REQUIRE(monitor.observe(pivots_of({1, 1.1e9})));
  CHECK_FALSE(monitor.start_was_near());
  REQUIRE(monitor.observe(pivots_of({1, 0.9e9})));
  CHECK(monitor.start_was_near());
  monitor.begin_run();
  REQUIRE(begin_at(monitor, {1, 0.9e9}));
  CHECK_FALSE(monitor.start_was_near());
}

TEST_CASE("a row that becomes dependent within a step has the condition at the limit of dependence") {
  RankMonitor monitor;
  REQUIRE(begin_at(monitor, {1, 2}));
  REQUIRE(monitor.observe(pivots_of({1, 0})));
  CHECK(monitor.worst_condition() == doctest::Approx(0.5 / RankMonitor::dependent_below));
  CHECK(monitor.worst_row() == 1);
  CHECK(monitor.doubt("\"b\"") == "the constraints nearly lose rank in \"b\", condition above 4.5e+13");
  REQUIRE(begin_at(monitor, {1, 0}));
  CHECK(monitor.began_singular());
  CHECK(monitor.worst_condition() == 1);
  REQUIRE(begin_at(monitor, {1, 2}));
  CHECK_FALSE(monitor.began_singular());
}

TEST_CASE(
    "the condition of a group is relative to its own growth at the start, which a later step may correct") {
  RankMonitor monitor({2, 1});
  REQUIRE(begin_at(monitor, {1, 1e5, 1}));
  REQUIRE(begin_at(monitor, {1e5, 1, 40}));
  CHECK(monitor.worst_condition() == doctest::Approx(40));
  CHECK(monitor.worst_row() == 2);
  REQUIRE(begin_at(monitor, {1, 50, 1}));  // the start was near a loss of rank
  REQUIRE(begin_at(monitor, {1, 1e5, 1}));
  CHECK(monitor.worst_condition() == doctest::Approx(2e3));
  monitor.begin_run();
  REQUIRE(begin_at(monitor, {1, 1e5, 0}));
  CHECK(monitor.worst_condition() == 1);
  CHECK(monitor.expected() == 1);
}

TEST_CASE("a change of the solver's unknowns does not change the condition") {
  const auto in_coordinates = [](const std::vector<double>& growth) {
    Pivots pivots = pivots_of(growth);
    pivots.in_coordinates = true;
    return pivots;
  };
  RankMonitor monitor;
  REQUIRE(monitor.observe(in_coordinates({1, 2})));
  REQUIRE(monitor.observe(in_coordinates({1, 6})));
  REQUIRE(monitor.observe(pivots_of({50, 300})));  // the rows of joints have growths now
  CHECK(monitor.worst_condition() == doctest::Approx(3));
  monitor.begin_step();
  REQUIRE(monitor.observe(pivots_of({50, 900})));
  CHECK(monitor.worst_condition() == doctest::Approx(9));
  REQUIRE(monitor.observe(in_coordinates({1, 40})));
  CHECK(monitor.worst_condition() == doctest::Approx(20));
  monitor.begin_run();
  REQUIRE(begin_at(monitor, {50, 900}));
  CHECK(monitor.worst_condition() == 1);
}
