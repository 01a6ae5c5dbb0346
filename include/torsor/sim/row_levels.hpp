#pragma once

#include <vector>

#include "torsor/model/integrability.hpp"
#include "torsor/sim/mechanism_system.hpp"

namespace torsor {

/// What a constraint row is.
enum class RowLevel {
  position,      ///< has a phi as written
  integrable,    ///< written in velocities, yet has a phi: by the bracket test
  nonholonomic,  ///< has none
  velocity,      ///< written in velocities, and nobody has looked: the mechanism is large
};

/// "holonomic", "integrable", "nonholonomic", "velocity".
const char* to_string(RowLevel level);

/// `count` states that meet the constraints around (t, q), at later times; fewer where the way is too far.
std::vector<SamplePoint> states_around(const ConstrainedSystem& system, double t, const Vec& q, int count);

/// Over system.constraints().rows(): by integrable_rows at three states around (t, q). Rows without phi stay
/// `velocity` where a mechanism has more than 60 velocities, since the test is dense.
std::vector<RowLevel> row_levels(const MechanismSystem& system, double t, const Vec& q);

}  // namespace torsor
