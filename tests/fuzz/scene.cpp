// Any text must be either a scene or a SceneError. The resolved text of a scene must give the same scene
// and the same text again.
#include "model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torsor;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (fuzz::repeats_often(text)) return -1;
  try {
    const scene::Scene scene = scene::parse_scene(text, "scene.toml");
    if (scene::parse_scene(scene.resolved, "scene.toml").resolved != scene.resolved) std::abort();
    fuzz::build(scene);
  } catch (const scene::SceneError& error) {
    fuzz::check(error);
  }
  return 0;
}
