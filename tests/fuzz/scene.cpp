// Any text must be either a scene or a SceneError. The resolved text of a scene must be a scene with the same
// resolved text.
#include "model.hpp"

namespace {

void check_resolved(const torsor::scene::Scene& scene) {
  try {
    if (torsor::scene::parse_scene(scene.resolved, "scene.toml").resolved == scene.resolved) return;
  } catch (const torsor::scene::SceneError&) {
  }
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torsor;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (fuzz::repeats_often(text)) return -1;
  try {
    const scene::Scene scene = scene::parse_scene(text, "scene.toml");
    check_resolved(scene);
    fuzz::build(scene);
  } catch (const scene::SceneError& error) {
    fuzz::check(error);
  }
  return 0;
}
