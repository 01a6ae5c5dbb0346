#pragma once

/// A model as a system of equations, its run by a method, and the trajectory of the run.

#include "torsor/integrators/stepper.hpp"
#include "torsor/run/simulate.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/system/consistent_start.hpp"
#include "torsor/system/mechanism_system.hpp"
#include "torsor/system/reactions.hpp"
#include "torsor/system/reduced_system.hpp"
#include "torsor/system/tree_system.hpp"
