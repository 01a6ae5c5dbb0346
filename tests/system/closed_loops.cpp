#include "system/singularity/closed_loops.hpp"

#include <doctest/doctest.h>

#include <cmath>

using torsor::Constraints;

namespace {

Constraints::Item joint(std::vector<int> links, bool grounded = false) {
  Constraints::Item item;
  item.rows = 5;
  item.links = std::move(links);
  item.grounded = grounded;
  return item;
}

}  // namespace

TEST_CASE("loops that share only the ground are apart, and links that hang on a loop are in no group") {
  // A four-bar of links 0 to 2 with a pendulum of links 3 and 4 on link 1 and a driver of link 3, a chain 5,
  // 6 from the ground, a free link 7, and two loops that share link 9.
  const std::vector<Constraints::Item> items{
      joint({0}, true), joint({1, 0}),    joint({2, 1}), joint({2}, true), joint({3, 1}),
      joint({4, 3}),    joint({5}, true), joint({6, 5}), joint({8}, true), joint({8, 9}),
      joint({9}, true), joint({9, 10}),   joint({3, 1}), joint({10, 11}),  joint({11, 9})};
  CHECK(torsor::mechanics::ClosedLoops(12, items).of_link ==
        std::vector<int>{0, 0, 0, -1, -1, -1, -1, -1, 1, 1, 1, 1});
}

TEST_CASE("a constraint without rows closes no loop, and one of several links closes one") {
  Constraints::Item free = joint({0, 1});
  free.rows = 0;
  const std::vector<Constraints::Item> open{joint({0}, true), joint({1}, true), free};
  CHECK(torsor::mechanics::ClosedLoops(2, open).of_link == std::vector<int>{-1, -1});
  const std::vector<Constraints::Item> gears{joint({0}, true), joint({1}, true), joint({2}, true),
                                             joint({0, 1, 2})};
  CHECK(torsor::mechanics::ClosedLoops(3, gears).of_link == std::vector<int>{0, 0, 0});
}

TEST_CASE("the velocities of a group are relative to their mean") {
  const torsor::mechanics::ClosedLoops loops(4, {joint({0}, true), joint({1, 0}), joint({1}, true),
                                                 joint({2}, true), joint({3, 2}), joint({3}, true)});
  REQUIRE(loops.groups == 2);
  torsor::Vec V = torsor::Vec::Zero(24);
  V[0] = 300, V[6] = 304, V[12] = 7;
  CHECK(loops.relative(0, V).norm() == doctest::Approx(std::sqrt(8.)));
  CHECK(loops.relative(1, V).norm() == doctest::Approx(std::sqrt(2 * 3.5 * 3.5)));
}
