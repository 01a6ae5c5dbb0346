#pragma once

#include <string>

namespace torsor::scene {

/// The reason why scenes of this process may not load plugins, as the end of a sentence; empty if they may.
std::string why_plugins_not_allowed();

}  // namespace torsor::scene
