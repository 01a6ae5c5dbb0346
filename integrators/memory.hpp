#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/integrators/system.hpp"

namespace torsor {

/// What a method leaves in State::memory: (kind, t, values). The kind keeps one method from reading what
/// another left, the time keeps it from reading what belongs to another instant.
namespace memory {

enum class Kind { slope = 1, force, alpha };

/// Whether x remembers `vectors` vectors of that kind at t. A driver that sums time with compensation may
/// hand back a time that differs by rounding from t + h.
inline bool holds(const State& x, Kind kind, double t, int vectors = 1) {
  if (x.memory.size() != vectors * x.v.size() + 2 || x.memory[0] != int(kind)) return false;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  return std::abs(x.memory[1] - t) <= 4 * eps * std::max(1., std::abs(t));
}

inline auto values(const State& x, int vector = 0) {
  return x.memory.segment(2 + vector * x.v.size(), x.v.size());
}

template <class... Values>
void store(State& x, Kind kind, double t, const Values&... values) {
  const Eigen::Index n = x.v.size();
  x.memory.resize(Eigen::Index(sizeof...(Values)) * n + 2);
  x.memory[0] = int(kind);
  x.memory[1] = t;
  Eigen::Index at = 2;
  ((x.memory.segment(at, n) = values, at += n), ...);
}

}  // namespace memory
}  // namespace torsor
