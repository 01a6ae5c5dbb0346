#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace torsor::cli {

/// The file of a scene argument: a path, or the name of a scene in the folder TORSOR_SCENES or of a scene
/// that is installed with the command (scene/scene_files.hpp). The same for a study.
std::string find_scene(const std::string& argument);
std::string find_study(const std::string& argument);

/// The files of all scenes that can be run by name, sorted by name, and of all studies.
std::vector<std::filesystem::path> named_scenes();
std::vector<std::filesystem::path> named_studies();

}  // namespace torsor::cli
