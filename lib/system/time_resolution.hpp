#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor::mechanics {

/// Two times (s) that differ by less than this are equal: a few units in the last place.
inline double time_resolution(double t) {
  return 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
}

}  // namespace torsor::mechanics
