#pragma once

/// Scene files: reading and checking them, making a model or a system in coordinates of them, and running
/// them.

#include "torsor/scene/diagnostic.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/scene/schema.hpp"
