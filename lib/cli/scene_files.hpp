#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torsor::cli {

/// The file that the scene argument means: a path, or the name of a scene in the folder TORSOR_SCENES or of
/// one that is installed with the command. Throws SceneError with the nearest names where there is none.
std::string find_scene(const std::string& argument);

/// The likeliest of `known` for what was written; empty where none is near.
std::string_view nearest(std::string_view written, const std::vector<std::string>& known);

}  // namespace torsor::cli
