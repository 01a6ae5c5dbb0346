#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor::mechanics {

/// Two times (s) that differ by less than this are equal: a few units in the last place.
inline double time_resolution(double t) {
  return 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
}

/// The same for times of a grid from `begin`, which have the rounding of `begin`.
inline double time_resolution(double begin, double t) {
  return time_resolution(std::max(std::abs(begin), std::abs(t)));
}

}  // namespace torsor::mechanics
