#pragma once

// Definitions of the recursions of kinematics.hpp and dynamics.hpp. The library contains
// them for double and long double. Include this file to use them with a SIMD pack or a dual number.
#include "model/detail/configuration.hpp"
#include "model/detail/forward_dynamics.hpp"
#include "model/detail/inverse_dynamics.hpp"
#include "model/detail/local_kinematics.hpp"
#include "model/detail/world_kinematics.hpp"
#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"
