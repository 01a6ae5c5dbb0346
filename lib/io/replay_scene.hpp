#pragma once

#include <optional>
#include <vector>

#include "json_writer.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

/// What a replay shows that does not change from frame to frame: bodies with their shapes, joints, massless
/// rods, springs, points, the floor, gravity at the start. Ends of rods that move by a law are told at these
/// times.
void write_drawn_scene(JsonWriter& json, const Scene& scene, const std::vector<double>& times);

/// Joints, and constraints that are not lines, as glyphs: what kind, on which body, in which frame.
void write_glyphs(JsonWriter& json, const Mechanism& mechanism);
void write_frame(JsonWriter& json, const SE3<>& X);

/// Where a point stands still on its body.
std::optional<BodyPoint> still(const MovingPoint& point);

}  // namespace torsor
