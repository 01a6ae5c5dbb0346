#pragma once

#include <string>

namespace torsor::scene {

/// The title of a scene or study, converted by plain_text; empty if there is no title. Throws SceneError if
/// the text is not valid TOML.
std::string title_of(const std::string& path);

}  // namespace torsor::scene
