#pragma once

/// Limits that the monitors of the rank share: that of mechanisms and that of systems with dense rows. Their origin is
/// in docs/singular_configurations.md.
namespace torsor {

/// If the pivot growth falls below the growth at the start divided by this, the start was near a loss of rank.
inline constexpr double start_was_near = 1e3;

/// From this condition on, a state may be too far off the constraints.
inline constexpr double steep_from = 10;

}  // namespace torsor
