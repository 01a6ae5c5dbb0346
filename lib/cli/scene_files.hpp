#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::cli {

/// The file that the scene argument means: a path, or the name of a scene in the folder TORSOR_SCENES or of
/// one that is installed with the command. Throws SceneError with the nearest names where there is none.
std::string find_scene(const std::string& argument);

/// The same for a study, in the folder `studies` beside the scenes.
std::string find_study(const std::string& argument);

/// The files of all scenes that can be run by name, sorted by name, and of all studies.
std::vector<std::filesystem::path> named_scenes();
std::vector<std::filesystem::path> named_studies();

}  // namespace torsor::cli
