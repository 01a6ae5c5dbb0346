#pragma once

#include <string>
#include <vector>

#include "verbs.hpp"

namespace torsor::cli {

using Rows = std::vector<std::vector<std::string>>;

/// A value with five digits; 0 if its magnitude is at most 1e-12 times `scale`. The scale, in the unit of the
/// value, is the size of the terms that cancel in the value, or of the other components.
std::string number(double value, double scale = 0);
/// Components with a common unit. The greatest of them is a scale too.
std::string numbers(const Vec3& v, double scale = 0);

/// Joins consecutive lines that differ in their first column alone: "link1 .. link100". If there are more
/// than `most` lines, the last line counts the others.
Rows gathered(const Rows& rows, std::size_t most = 24);

/// The class of the inertia of each body that has an attitude, its principal moments, and its principal axes
/// if they are unique. Empty if there are no such bodies.
Rows inertia_rows(const Mechanism& mechanism);

/// Whether time can be removed. `free`: the constraints leave velocities free.
template <class Report>
std::string time_verdict(const Report& time, bool free) {
  if (!time.has_verdict() && !free) return "none: the constraints leave no velocity free";
  if (time.has_verdict())
    return time.removable ? "scleronomic: time can be removed"
                          : "rheonomic: no change of coordinates removes time";
  if (!time.removable) return "none: S1 or S2 cannot be computed at a state";
  return "none: S1 and S2 vanish, but only " + std::to_string(time.states) + " of 4 states could be examined";
}

/// The part of `torsor geometry` on motions: screws, transport, N, reactions, rigid systems of particles.
std::string motion_text(const Mechanism& mechanism, const GeometryReport& report);

}  // namespace torsor::cli
