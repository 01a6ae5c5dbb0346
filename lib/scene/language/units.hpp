#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace torsor::scene {

/// A unit that may follow a number: 1 `suffix` = `factor` `si`.
struct Unit {
  std::string_view suffix, si;
  double factor;
};
std::span<const Unit> all_units();

/// The factor to SI of a unit that formulas know, and 1 for products of SI units, such as kg*m/s. Nothing for
/// others.
std::optional<double> factor_to_si(std::string_view unit);

/// A text without leading and trailing blanks.
std::string_view trimmed(std::string_view text);

/// The factor that converts a number in `suffix` to the SI unit `si`, or the reason why there is none, as
/// the end of a sentence about the value (" takes m, not ...", ": unknown unit ...").
std::variant<double, std::string> unit_factor(std::string_view suffix, std::string_view si);

}  // namespace torsor::scene
