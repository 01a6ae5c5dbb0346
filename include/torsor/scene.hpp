#pragma once

/// Scene files: reading, changing, checking and running a scene.

#include "torsor/scene/scene.hpp"
