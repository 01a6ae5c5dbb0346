#include "torsor/integrators/rkmk_dopri8.hpp"

#include <cmath>

#include "high_order.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("rkmk-dopri8 has order 8 on every group") { check_high_order<RkmkDopri8>(9, 3); }

TEST_CASE(
    "rows of RK8(7)13M sum to its abscissae, weights to one, and quadratures are exact to their order") {
  using Table = detail::Dopri8Table;
  std::array<long double, 13> c{};
  for (std::size_t i = 0; i < 13; ++i) c[i] = Table::c[i].as<long double>();
  for (std::size_t i = 1; i < 13; ++i) {
    CAPTURE(i);
    long double sum = 0;
    for (std::size_t j = 0; j < i; ++j) sum += Table::a[i * (i - 1) / 2 + j].as<long double>();
    CHECK(static_cast<double>(std::abs(sum - c[i])) < 2e-17);
  }
  const auto moment = [&](const auto& weights, int power) {
    long double sum = 0;
    for (std::size_t i = 0; i < 13; ++i) sum += weights[i].template as<long double>() * std::pow(c[i], power);
    return static_cast<double>(sum * (power + 1) - 1);
  };
  for (int power = 0; power < 8; ++power) CHECK(std::abs(moment(Table::b, power)) < 1e-16);
  for (int power = 0; power < 7; ++power) CHECK(std::abs(moment(Table::b_hat, power)) < 1e-16);
  CHECK(std::abs(moment(Table::b_hat, 7)) > 1e-9);
}
