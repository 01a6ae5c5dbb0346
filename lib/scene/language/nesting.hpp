#pragma once

#include <string>
#include <string_view>

namespace torsor::scene {

/// The reason why an expression is too long or too deeply nested, or empty. This limits the recursion of the
/// grammar.
std::string why_too_deep(std::string_view text);

}  // namespace torsor::scene
