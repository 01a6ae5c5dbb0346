#include "scene_files.hpp"

#include <system_error>

#include "scene/scene_files.hpp"

namespace torsor::cli {
namespace fs = std::filesystem;
namespace {

/// The path of the installed scenes is relative to the command, so that an install tree can be moved. The
/// build tree has the same layout.
scene::SceneFolders folders() {
  std::error_code failure;
  const fs::path command = fs::read_symlink("/proc/self/exe", failure);
  return scene::SceneFolders(failure ? fs::path() : command.parent_path() / TORSOR_SCENES_FROM_COMMAND);
}

}  // namespace

std::string find_scene(const std::string& argument) { return folders().find_scene(argument); }

std::string find_study(const std::string& argument) { return folders().find_study(argument); }

std::vector<fs::path> named_scenes() { return folders().scenes(); }

std::vector<fs::path> named_studies() { return folders().studies(); }

}  // namespace torsor::cli
