#pragma once

/// A mechanism of bodies, joints, forces and constraints, and the start of a motion.

#include "torsor/model/dynamics.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/model/mechanism.hpp"
#include "torsor/model/model.hpp"
#include "torsor/model/rigid_particles.hpp"
#include "torsor/model/start.hpp"
