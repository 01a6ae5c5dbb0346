#pragma once

#include <algorithm>

namespace torsor::mechanics {

/// The unit, m, of tolerances on residuals and corrections that are lengths: 1 m, and for a mechanism whose
/// `size` (m) is below a millimetre, proportionally less. The parts of such a mechanism would otherwise be as
/// small as the tolerances.
inline double length_unit(double size) { return std::min(1., size / 1e-3); }

}  // namespace torsor::mechanics
