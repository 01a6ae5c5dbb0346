#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/integrators/system.hpp"

namespace torsor {

/// A vector of size nv that belongs to one instant of a State, kept in its memory as (t, values): the last
/// acceleration of a first-same-as-last method, the last force of Stormer-Verlet.
namespace slope_memory {

/// Whether x remembers a vector of that size at t. A driver that sums time with compensation may hand back a
/// time that differs by rounding from t + h.
inline bool holds(const State& x, double t) {
  if (x.memory.size() != x.v.size() + 1) return false;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  return std::abs(x.memory[0] - t) <= 4 * eps * std::max(1., std::abs(t));
}

template <class Values>
void store(State& x, double t, const Values& values) {
  x.memory.resize(x.v.size() + 1);
  x.memory[0] = t;
  x.memory.tail(x.v.size()) = values;
}

}  // namespace slope_memory
}  // namespace torsor
