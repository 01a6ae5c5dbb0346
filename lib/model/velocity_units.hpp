#pragma once

#include "torsor/lie/types.hpp"
#include "torsor/model/model.hpp"

namespace torsor::mechanics {

/// Over the velocities of the tree: `length` (m) for those in m/s, 1 for those in rad/s.
Vec velocity_units(const Model& model, double length);

}  // namespace torsor::mechanics
