#pragma once

#include <cmath>
#include <vector>

#include "torsor/model/constraints.hpp"
#include "torsor/system/mechanism_system.hpp"

namespace torsor {

/// Whether a constraint row is holonomic.
enum class RowLevel {
  position,      ///< written with phi
  integrable,    ///< written in velocities, but has a phi by the bracket test
  nonholonomic,  ///< written in velocities, and has no phi by the bracket test
  velocity,      ///< written in velocities and not known: see row_levels
};

/// "holonomic", "integrable", "nonholonomic", "velocity".
const char* to_string(RowLevel level);

/// `count` (at most 3) states around (t, q), projected on the constraints. The displacements have components
/// up to 0.2. The times are later by 0.1 s times the square roots of 2, 5 and 11, which are not commensurate:
/// otherwise a periodic drive could be at rest at all states. If the projection of a displaced state fails,
/// it starts again from the part of the displacement that the rows at (t, q) allow; if this fails too, the
/// state moves there by velocities that all rows allow. A state is refused if the metric or the rows are not
/// finite there, or if the square of the displacement changes its sign. Then the displacement and the time
/// are divided by 4, up to eight times. A state is left out if all this fails.
std::vector<SamplePoint> states_around(const ConstrainedSystem& system, double t, const Vec& q, int count);
/// The same, where velocities in m/s have the unit of displacements of the mechanism: 1 m for a mechanism
/// from 0.1 m to 100 m, otherwise its size.
std::vector<SamplePoint> states_around(const MechanismSystem& system, double t, const Vec& q, int count);

/// Whether the residuals of a report on time decide nothing: they vanish, but fewer than four states could be
/// examined, or a residual could not be computed.
template <class Report>
bool undecided(const Report& time) {
  return std::isnan(time.S1_around + time.S2_around) || (time.removable && time.states < 4);
}

/// Replaces the level `velocity` of each row by the result of integrable_rows, unless that is in doubt.
void set_levels(const std::vector<Integrable>& found, std::vector<RowLevel>& levels);

/// The levels over system.constraints().rows(), by integrable_rows at three states around (t, q). Rows
/// without phi stay `velocity` where the mechanism has more than 60 velocities, since the test is dense,
/// where no state around (t, q) was found, or where the result depends on the step of the differences.
std::vector<RowLevel> row_levels(const MechanismSystem& system, double t, const Vec& q);

}  // namespace torsor
