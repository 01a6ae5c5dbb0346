#include "progress.hpp"

#include <doctest/doctest.h>

namespace torsor::cli {

TEST_CASE("a progress line fits the terminal and drops the remaining time last") {
  const std::string name = "spherical_pendulum_moving_support";
  const std::vector<std::string> parts = {"t = 1.234 of 1000 s", "3 h 05 min left"};
  CHECK(progress_line("top", 0.25, parts, 120) ==
        "top [======                  ]  25 %  t = 1.234 of 1000 s  3 h 05 min left");
  CHECK(progress_line(name, 0.5, parts, 100) ==
        name + " [==========          ]  50 %  t = 1.234 of 1000 s  3 h 05 min left");
  CHECK(progress_line(name, 0.5, parts, 79) == name + " [==========          ]  50 %  3 h 05 min left");
  CHECK(progress_line(name, 0.5, parts, 60) == name + "  50 %  3 h 05 min left");
  for (int width = 1; width < 150; ++width)
    for (const double share : {0., 0.3, 1.}) {
      CAPTURE(width);
      CHECK(static_cast<int>(progress_line(name, share, parts, width).size()) <= width);
    }
}

TEST_CASE("the time of a run is shown to a thousandth of the run, however late it begins") {
  CHECK(time_of(1.23456, 0, 1000) == "t = 1.235 of 1000 s");
  CHECK(time_of(1000000.5137, 1e6, 1e6 + 2) == "t = 1000000.514 of 1000002 s");
  CHECK(time_of(-0.5, -1e3, 0) == "t = -0.5 of 0 s");
  CHECK(time_of(2.5e-7, 0, 1e-6) == "t = 2.5e-07 of 1e-06 s");
}

}  // namespace torsor::cli
