#pragma once

#include <vector>

#include "torsor/model/constraints.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor {

/// Whether a constraint row is holonomic.
enum class RowLevel {
  position,      ///< written with phi
  integrable,    ///< written in velocities, but has a phi by the bracket test
  nonholonomic,  ///< written in velocities, and has no phi by the bracket test
  velocity,      ///< written in velocities and not tested: see row_levels
};

/// "holonomic", "integrable", "nonholonomic", "velocity".
const char* to_string(RowLevel level);

/// `count` states around (t, q), at later times, projected on the constraints. If the projection of a
/// displaced state fails, it starts again from the part of the displacement that the rows at (t, q) allow. A
/// state is left out if this fails too.
std::vector<SamplePoint> states_around(const ConstrainedSystem& system, double t, const Vec& q, int count);

/// The levels over system.constraints().rows(), by integrable_rows at three states around (t, q). Rows
/// without phi stay `velocity` where the mechanism has more than 60 velocities, since the test is dense, or
/// where no state around (t, q) was found.
std::vector<RowLevel> row_levels(const MechanismSystem& system, double t, const Vec& q);

}  // namespace torsor
