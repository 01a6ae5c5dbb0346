#include "scene_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "torsor/scene/diagnostic.hpp"
#include "torsor/sim/did_you_mean.hpp"

namespace torsor::cli {
namespace fs = std::filesystem;
namespace {

/// Where scenes are looked up by name. The installed ones lie at a fixed place relative to the command, so
/// that an install tree can be moved; the build tree is laid out alike.
std::vector<fs::path> scene_folders() {
  std::vector<fs::path> folders;
  if (const char* own = std::getenv("TORSOR_SCENES"); own != nullptr && *own != '\0')
    folders.emplace_back(own);
  std::error_code failure;
  const fs::path command = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) folders.push_back((command.parent_path() / TORSOR_SCENES_FROM_COMMAND).lexically_normal());
  return folders;
}

std::vector<std::string> scene_names(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

namespace {

std::string find(const std::string& argument, const char* noun, const std::vector<fs::path>& folders) {
  std::error_code failure;
  if (fs::exists(argument, failure)) return argument;
  const bool is_name = argument.find('/') == std::string::npos && !argument.ends_with(".toml");
  for (const auto& folder : folders) {
    const auto path = folder / (argument + ".toml");
    if (is_name && fs::is_regular_file(path, failure)) return path.string();
  }
  if (!is_name) throw SceneError({{argument, 0, 0, "no such file"}});
  const auto names = scene_names(folders);
  const std::string guess = did_you_mean(argument, {names.begin(), names.end()});
  std::string message = fmt::format("no such file or {}", noun);
  if (!guess.empty()) {
    message += guess;
  } else if (!names.empty()) {
    message += fmt::format("; there are {}", fmt::join(names, ", "));
  }
  throw SceneError({{argument, 0, 0, message}});
}

}  // namespace

std::string find_scene(const std::string& argument) { return find(argument, "scene", scene_folders()); }

std::string find_study(const std::string& argument) {
  std::vector<fs::path> folders = scene_folders();
  for (fs::path& folder : folders) folder /= "studies";
  return find(argument, "study", folders);
}

}  // namespace torsor::cli
