#pragma once

#include <vector>

#include "io/tables/json_writer.hpp"
#include "model/law_drawing.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::io {

/// Writes the parts of a replay that are the same in all frames: bodies with their shapes, joints, massless
/// rods, springs, points, the floor, gravity at the start. For ends of rods that move by a law of time,
/// writes their positions at `times`.
void write_drawn_scene(JsonWriter& json, const scene::Scene& scene, const std::vector<double>& times);

/// Writes the joints and all marks as glyphs with their kind, body and frame.
void write_glyphs(JsonWriter& json, const Mechanism& mechanism, const LawDrawing& drawing);
void write_frame(JsonWriter& json, const SE3<>& X);

}  // namespace torsor::io
