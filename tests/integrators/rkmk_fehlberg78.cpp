#include "high_order.hpp"
#include "torsor/integrators/rkmk.hpp"

using namespace torsor;
using namespace torsor::test;

TEST_CASE("rkmk-fehlberg78 has order 8 on every group") { check_high_order<RkmkFehlberg78>(4, 4); }
