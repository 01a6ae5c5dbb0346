#pragma once

#include <cmath>

#include "torsor/model/mechanism.hpp"

/// Properties of functions of time, and their values and rates as vectors.
namespace torsor {

inline bool finite(const TimeFunction& f) { return !f.is_constant() || std::isfinite(f(0)); }
inline bool finite(const TimeVec3& f) { return finite(f[0]) && finite(f[1]) && finite(f[2]); }
inline bool of_state(const TimeFunction& f) { return f.of_state() != nullptr; }
inline bool of_state(const TimeVec3& f) { return of_state(f[0]) || of_state(f[1]) || of_state(f[2]); }
inline bool is_zero(const TimeFunction& f) { return f.is_constant() && f(0) == 0; }
inline bool is_zero(const TimeVec3& f) { return is_zero(f[0]) && is_zero(f[1]) && is_zero(f[2]); }
inline bool is_constant(const TimeVec3& f) {
  return f[0].is_constant() && f[1].is_constant() && f[2].is_constant();
}
inline Vec3 value(const TimeVec3& f, double t) { return {f[0](t), f[1](t), f[2](t)}; }
inline Vec3 rate(const TimeVec3& f, double t) {
  return {f[0].with_derivatives(t).rate, f[1].with_derivatives(t).rate, f[2].with_derivatives(t).rate};
}

}  // namespace torsor
