#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace torsor::scene {

/// A suffix that numbers may carry, and what one of it is in SI.
struct Unit {
  std::string_view suffix, si;
  double factor;
};
std::span<const Unit> all_units();

/// A text without the blanks around it.
std::string_view trimmed(std::string_view text);

/// The factor that takes a number in `suffix` to the SI unit `si`; or why there is none, as the end of a
/// sentence about the value (" takes m, not ...", ": unknown unit ...").
std::variant<double, std::string> unit_factor(std::string_view suffix, std::string_view si);

}  // namespace torsor::scene
