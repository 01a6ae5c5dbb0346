#pragma once

#include <string>

namespace torsor {

/// The title that a scene or a study gives itself; empty where it has none. Throws SceneError where the text
/// is no TOML.
std::string title_of(const std::string& path);

}  // namespace torsor
