#pragma once

#include <algorithm>

namespace torsor::mechanics {

/// The unit, m, of tolerances on residuals and corrections that are lengths: 1 m, and for a mechanism whose
/// `size` (m) is below a millimetre, proportionally less. The parts of such a mechanism would otherwise be as
/// small as the tolerances.
inline double length_unit(double size) { return std::min(1., size / 1e-3); }

/// The unit, m, of displacements to states nearby and of steps of differences: 1 m for a mechanism whose
/// `size` is from 0.1 m to 100 m, otherwise its size.
inline double displacement_unit(double size) { return size >= 0.1 && size <= 100 ? 1 : size; }

}  // namespace torsor::mechanics
