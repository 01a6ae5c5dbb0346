#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::scene {

/// The folders in which scenes are looked up by name: TORSOR_SCENES, if it is set, then the folder of the
/// installed scenes. Studies are in the subfolders `studies` of these folders.
class SceneFolders {
 public:
  explicit SceneFolders(const std::filesystem::path& installed);

  /// The file of a scene argument: a path, or the name of a scene. If the argument is both a folder and the
  /// name of a scene, it means the scene. If there is no such scene, throws a SceneError that suggests the
  /// most similar name.
  std::string find_scene(const std::string& argument) const;
  std::string find_study(const std::string& argument) const;

  /// The files of all scenes in the folders, sorted by name, and of all studies. If several folders contain a
  /// file of the same name, the file in the first folder is used.
  std::vector<std::filesystem::path> scenes() const;
  std::vector<std::filesystem::path> studies() const;

 private:
  std::vector<std::filesystem::path> scenes_, studies_;
};

}  // namespace torsor::scene
