#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/integrators/system.hpp"

namespace torsor {

/// Layout of State::memory: (kind, t, values). The kind prevents a method from reading the values of
/// another method; the time prevents it from reading the values of another time.
namespace memory {

enum class Kind { nothing, slope, force, alpha, constrained_alpha, bdf1, bdf2, bdf3, rattle };

constexpr Eigen::Index head = 2;

/// Whether x holds values of this kind for the time t: `vectors` vectors of nv numbers, then `more`
/// numbers. A driver that sums the time with compensation may pass a time that differs from t + h by
/// rounding.
inline bool holds(const State& x, Kind kind, double t, int vectors = 1, Eigen::Index more = 0) {
  if (x.memory.size() != vectors * x.v.size() + more + head || x.memory[0] != int(kind)) return false;
  constexpr double eps = std::numeric_limits<double>::epsilon();
  return std::abs(x.memory[1] - t) <= 4 * eps * std::max(1., std::abs(t));
}

/// Vector number `vector`.
inline auto values(const State& x, int vector = 0) {
  return x.memory.segment(head + vector * x.v.size(), x.v.size());
}
/// The numbers after the vectors.
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

/// Marks the memory as empty without releasing its storage.
inline void drop(State& x) {
  if (x.memory.size() > 0) x.memory[0] = int(Kind::nothing);
}

}  // namespace memory
}  // namespace torsor
