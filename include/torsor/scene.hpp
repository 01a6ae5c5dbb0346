#pragma once

/// Scene files: reading, checking, and making a model of them.

#include "torsor/scene/diagnostic.hpp"
#include "torsor/scene/scene.hpp"
#include "torsor/scene/schema.hpp"
