#include "process.hpp"
#include "run/plain_text.hpp"
#include "scene/title.hpp"
#include "scene_files.hpp"
#include "torsor/scene/scene.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

/// The name and the title of each file; an error message in place of the title if a file cannot be read.
std::vector<std::vector<std::string>> names_and_titles(const std::vector<std::filesystem::path>& files) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& file : files) {
    rows.push_back({plain_text(file.stem().string())});
    try {
      rows.back().push_back(scene::title_of(file.string()));
    } catch (const scene::SceneError& error) {
      rows.back().push_back("(cannot be read: " + plain_text(error.diagnostics.front().message) + ")");
    }
  }
  return rows;
}

}  // namespace

int scenes_verb() {
  const auto scenes = names_and_titles(named_scenes()), studies = names_and_titles(named_studies());
  if (scenes.empty() && studies.empty())
    print_error(
        "note: no scenes are installed with this command, and TORSOR_SCENES names no folder of scenes\n");
  print(table(scenes, 0));
  if (!studies.empty()) print(section("Studies (torsor batch)") + table(studies, 0));
  return 0;
}

}  // namespace torsor::cli
