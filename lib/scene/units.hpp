#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace torsor::scene {

/// The factor that takes a number in `suffix` to the SI unit `si`; or why there is none, as the end of a
/// sentence about the value (" takes m, not ...", ": unknown unit ...").
std::variant<double, std::string> unit_factor(std::string_view suffix, std::string_view si);

}  // namespace torsor::scene
