#pragma once

#include <array>
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

/// A unit as `factor` times a product of powers of m, kg, s and C. rad has no dimension.
struct SiUnit {
  double factor = 1;
  std::array<int, 4> powers{};
  bool operator==(const SiUnit&) const = default;
};
/// A unit that formulas know, or a product of SI units, such as kg*m/s. Nothing for others.
std::optional<SiUnit> si_unit(std::string_view unit);

/// A text without leading and trailing blanks.
std::string_view trimmed(std::string_view text);

/// The factor that converts a number in `suffix` to the SI unit `si`, or the reason why there is none, as
/// the end of a sentence about the value (" takes m, not ...", ": unknown unit ...").
std::variant<double, std::string> unit_factor(std::string_view suffix, std::string_view si);

}  // namespace torsor::scene
