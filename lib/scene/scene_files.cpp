#include "scene_files.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <system_error>

#include "run/did_you_mean.hpp"
#include "torsor/scene/scene.hpp"

namespace torsor::scene {
namespace fs = std::filesystem;
namespace {

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

std::string find_file(const std::string& argument, const char* noun, const std::vector<fs::path>& folders) {
  std::error_code failure;
  const bool is_name = argument.find('/') == std::string::npos && !argument.ends_with(".toml"),
             exists = fs::exists(argument, failure);
  if (exists && !(is_name && fs::is_directory(argument, failure))) return argument;
  for (const auto& folder : folders) {
    const auto path = folder / (argument + ".toml");
    if (is_name && fs::is_regular_file(path, failure)) return path.string();
  }
  if (exists) return argument;  // a folder: the reader reports this
  if (!is_name) throw SceneError({{argument, 0, 0, "no such file"}});
  std::vector<std::string> names;
  for (const fs::path& file : files_in(folders)) names.push_back(file.stem().string());
  const std::string guess = did_you_mean(argument, {names.begin(), names.end()});
  throw SceneError({{argument, 0, 0,
                     fmt::format("no such file or {}{}", noun,
                                 guess.empty() ? "; `torsor scenes` lists the names" : guess)}});
}

}  // namespace

SceneFolders::SceneFolders(const fs::path& installed) {
  if (const char* own = std::getenv("TORSOR_SCENES"); own != nullptr && *own != '\0')
    scenes_.emplace_back(own);
  if (!installed.empty()) scenes_.push_back(installed.lexically_normal());
  for (const fs::path& folder : scenes_) studies_.push_back(folder / "studies");
}

std::string SceneFolders::find_scene(const std::string& argument) const {
  return find_file(argument, "scene", scenes_);
}

std::string SceneFolders::find_study(const std::string& argument) const {
  return find_file(argument, "study", studies_);
}

std::vector<fs::path> SceneFolders::scenes() const { return files_in(scenes_); }

std::vector<fs::path> SceneFolders::studies() const { return files_in(studies_); }

}  // namespace torsor::scene
