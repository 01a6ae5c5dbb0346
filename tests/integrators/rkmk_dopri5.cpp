#include "high_order.hpp"
#include "torsor/integrators/rkmk.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("rkmk-dopri5 has order 5 on every group") { check_high_order<RkmkDopri5>(16, 3, 12); }
