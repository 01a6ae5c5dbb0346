#include "high_order.hpp"
#include "pair_conditions.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("rkmk-dop853 has order 8 on every group") { check_high_order<RkmkDop853>(13, 3); }

TEST_CASE("DOP853 fulfils its quadrature conditions") {
  using Table = detail::Dop853Table;
  check_pair<Table>(5);
  const auto coarse = [](int k) {
    return sum_over_stages<Table>(Table::coarse_error,
                                  [k](std::size_t i) { return std::pow(Table::c(i), k); });
  };
  for (int k = 0; k < 3; ++k) CHECK(is_close(coarse(k), 0));
  CHECK(std::abs(coarse(3)) > 1e-6L);
}
