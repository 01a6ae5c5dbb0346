#include "scene_files.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "run/did_you_mean.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::cli {
namespace fs = std::filesystem;
namespace {

/// The folders in which scenes are looked up by name. The path of the installed scenes is relative to the
/// command, so that an install tree can be moved. The build tree has the same layout.
std::vector<fs::path> scene_folders() {
  std::vector<fs::path> folders;
  if (const char* own = std::getenv("TORSOR_SCENES"); own != nullptr && *own != '\0')
    folders.emplace_back(own);
  std::error_code failure;
  const fs::path command = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) folders.push_back((command.parent_path() / TORSOR_SCENES_FROM_COMMAND).lexically_normal());
  return folders;
}

std::vector<fs::path> study_folders() {
  std::vector<fs::path> folders = scene_folders();
  for (fs::path& folder : folders) folder /= "studies";
  return folders;
}

/// The scene files of all folders, sorted by name. If several folders have a name, the first folder is used.
std::vector<fs::path> files_in(const std::vector<fs::path>& folders) {
  std::map<std::string, fs::path> by_name;
  std::error_code failure;
  for (const auto& folder : folders)
    for (const auto& entry : fs::directory_iterator(folder, failure))
      if (entry.path().extension() == ".toml")
        by_name.try_emplace(entry.path().stem().string(), entry.path());
  std::vector<fs::path> files;
  files.reserve(by_name.size());
  for (auto& [name, file] : by_name) files.push_back(std::move(file));
  return files;
}

std::string find(const std::string& argument, const char* noun, const std::vector<fs::path>& folders) {
  std::error_code failure;
  if (fs::exists(argument, failure)) return argument;
  const bool is_name = argument.find('/') == std::string::npos && !argument.ends_with(".toml");
  for (const auto& folder : folders) {
    const auto path = folder / (argument + ".toml");
    if (is_name && fs::is_regular_file(path, failure)) return path.string();
  }
  if (!is_name) throw scene::SceneError({{argument, 0, 0, "no such file"}});
  std::vector<std::string> names;
  for (const fs::path& file : files_in(folders)) names.push_back(file.stem().string());
  const std::string guess = did_you_mean(argument, {names.begin(), names.end()});
  throw scene::SceneError({{argument, 0, 0,
                            fmt::format("no such file or {}{}", noun,
                                        guess.empty() ? "; `torsor scenes` lists the names" : guess)}});
}

}  // namespace

std::string find_scene(const std::string& argument) { return find(argument, "scene", scene_folders()); }

std::string find_study(const std::string& argument) { return find(argument, "study", study_folders()); }

std::vector<fs::path> named_scenes() { return files_in(scene_folders()); }

std::vector<fs::path> named_studies() { return files_in(study_folders()); }

}  // namespace torsor::cli
