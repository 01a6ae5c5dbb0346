#pragma once

#include "json_writer.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

/// What a replay shows that does not change from frame to frame: bodies with their shapes, joints, massless
/// rods, springs, points, the floor, gravity at the start.
void write_drawn_scene(JsonWriter& json, const Scene& scene);

}  // namespace torsor
