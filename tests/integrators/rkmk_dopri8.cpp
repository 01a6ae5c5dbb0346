#include "high_order.hpp"
#include "pair_conditions.hpp"
#include "torsor/integrators/rkmk_order8.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("rkmk-dopri8 has order 8 on every group") { check_high_order<RkmkDopri8>(9, 3); }

TEST_CASE("RK8(7)13M fulfils its quadrature conditions") { check_pair<detail::Dopri8Table>(7); }
