#pragma once

#include <string_view>

namespace torsor {

/// The JSON Schema (draft-07) of scene files, `torsor/scene/1`.
std::string_view scene_schema();

}  // namespace torsor
