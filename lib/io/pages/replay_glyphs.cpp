#include "replay_scene.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor {
namespace {

void glyph(JsonWriter& json, const LawDrawing::Mark& mark) {
  json.open();
  json.text("name", mark.name);
  json.text("kind", mark.kind);
  json.integer("child", mark.body);
  write_frame(json, mark.X);
  if (mark.ground) {
    json.open("ground");
    write_frame(json, *mark.ground);
    json.close();
  }
  json.close();
}

}  // namespace

void write_glyphs(JsonWriter& json, const Mechanism& mechanism, const LawDrawing& drawing) {
  json.open_list("joints");
  for (const Joint& joint : mechanism.joints) {
    LawDrawing::Mark mark{joint.name, joint_type(joint.kind).name, joint.child, joint.X_CM};
    if (joint.parent == world) mark.ground = joint.X_PF;
    glyph(json, mark);
  }
  for (const LawDrawing::Mark& mark : drawing.marks) glyph(json, mark);
  json.close();
}

}  // namespace torsor
