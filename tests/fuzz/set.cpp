// Any values of --set, one `key=value` on each line, for a small scene that the first byte selects, must give
// either a scene or a SceneError.
#include <vector>

#include "model.hpp"
#include "small_scenes.hpp"

namespace {

const std::vector<torsor::scene::SceneSource>& scenes() {
  static const std::vector<torsor::scene::SceneSource> all = [] {
    std::vector<torsor::scene::SceneSource> sources;
    for (const torsor::fuzz::SmallScene& scene : torsor::fuzz::small_scenes)
      sources.emplace_back(scene.text(), std::string(scene.name) + ".toml");
    return sources;
  }();
  return all;
}

torsor::scene::Overrides overrides(std::string_view lines) {
  torsor::scene::Overrides all;
  while (!lines.empty() && all.size() < 8) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t equals = line.find('=');
    if (equals != line.npos) all.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torsor;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.empty() || fuzz::repeats_often(text)) return -1;
  try {
    const scene::SceneSource& source = scenes()[static_cast<unsigned char>(text[0]) % scenes().size()];
    fuzz::build(source.scene(overrides(std::string_view(text).substr(1))));
  } catch (const scene::SceneError& error) {
    fuzz::check(error);
  }
  return 0;
}
