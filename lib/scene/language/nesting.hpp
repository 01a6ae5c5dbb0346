#pragma once

#include <string>
#include <string_view>

namespace torsor::scene {

/// Limits the recursion of the grammar of expressions: the reason why a text is too long or too deeply nested, or
/// empty.
std::string why_too_deep(std::string_view text);

}  // namespace torsor::scene
