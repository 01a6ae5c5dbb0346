#pragma once

#include <optional>
#include <vector>

#include "io/tables/json_writer.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor {

/// Writes the parts of a replay that are the same in all frames: bodies with their shapes, joints, massless
/// rods, springs, points, the floor, gravity at the start. For ends of rods that move by a law of time,
/// writes their positions at `times`.
void write_drawn_scene(JsonWriter& json, const Scene& scene, const std::vector<double>& times);

/// Writes joints, and constraints that are not lines, as glyphs with their kind, body and frame.
void write_glyphs(JsonWriter& json, const Mechanism& mechanism);
void write_frame(JsonWriter& json, const SE3<>& X);

/// The point on its body if it does not move there; nothing if it moves.
std::optional<BodyPoint> still(const MovingPoint& point);

}  // namespace torsor
