#include "replay_scene.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::io {
namespace {

void glyph(JsonWriter& json, const LawDrawing::Mark& one) {
  json.open();
  json.text("name", one.name);
  json.text("kind", one.kind);
  json.integer("child", one.body);
  write_frame(json, one.X);
  if (one.ground) {
    json.open("ground");
    write_frame(json, *one.ground);
    json.close();
  }
  json.close();
}

}  // namespace

void write_glyphs(JsonWriter& json, const Mechanism& mechanism, const LawDrawing& drawing) {
  json.open_list("joints");
  for (const Joint& joint : mechanism.joints) {
    LawDrawing::Mark frames{joint.name, joint_type(joint.kind).name, joint.child, joint.X_CM};
    if (joint.parent == world) frames.ground = joint.X_PF;
    if (joint.child == world) frames.ground = joint.X_CM;
    glyph(json, frames);
  }
  for (const LawDrawing::Mark& one : drawing.marks) glyph(json, one);
  json.close();
}

}  // namespace torsor::io
