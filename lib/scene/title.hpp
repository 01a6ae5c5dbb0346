#pragma once

#include <string>

namespace torsor::scene {

/// The title of a scene or study as plain text (plain_text); empty if it has none. Throws SceneError if the
/// file is not valid TOML.
std::string title_of(const std::string& path);

}  // namespace torsor::scene
