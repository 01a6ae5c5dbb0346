#pragma once

#include <string_view>

namespace torsor::io {

/// The page of a replay, made by lib/io/page/build.mjs, with placeholders for a title and data.
std::string_view replay_source();

}  // namespace torsor::io
