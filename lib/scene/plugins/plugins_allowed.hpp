#pragma once

#include <string>

namespace torsor::scene {

/// The end of the error message for a scene with a plugin: how to allow plugins. Empty if they are allowed.
std::string why_plugins_not_allowed();

}  // namespace torsor::scene
