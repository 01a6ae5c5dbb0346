#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/integrators/system.hpp"

namespace torsor {

/// What a method leaves in State::memory: (kind, t, values). The kind keeps one method from reading what
/// another left, the time keeps it from reading what belongs to another instant.
namespace memory {

enum class Kind { nothing, slope, force, alpha, constrained_alpha, bdf1, bdf2, bdf3, rattle };

constexpr Eigen::Index head = 2;

/// Whether x remembers `vectors` vectors of nv numbers of that kind at t, and `more` numbers. A driver that
/// sums time with compensation may hand back a time that differs by rounding from t + h.
inline bool holds(const State& x, Kind kind, double t, int vectors = 1, Eigen::Index more = 0) {
  if (x.memory.size() != vectors * x.v.size() + more + head || x.memory[0] != int(kind)) return false;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  return std::abs(x.memory[1] - t) <= 4 * eps * std::max(1., std::abs(t));
}

/// The vector of that number.
inline auto values(const State& x, int vector = 0) {
  return x.memory.segment(head + vector * x.v.size(), x.v.size());
}
/// The numbers behind the vectors.
inline auto more(const State& x, int vectors) {
  return x.memory.tail(x.memory.size() - head - vectors * x.v.size());
}

template <class... Values>
void store(State& x, Kind kind, double t, const Values&... values) {
  x.memory.resize((Eigen::Index(values.size()) + ... + head));
  x.memory[0] = int(kind);
  x.memory[1] = t;
  Eigen::Index at = head;
  ((x.memory.segment(at, values.size()) = values, at += values.size()), ...);
}

/// Forgets without giving the storage back.
inline void drop(State& x) {
  if (x.memory.size() > 0) x.memory[0] = int(Kind::nothing);
}

}  // namespace memory
}  // namespace torsor
