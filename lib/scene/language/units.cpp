#include "units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>
#include <vector>

#include "scene/diagnostics.hpp"

namespace torsor::scene {
namespace {

constexpr double degree = std::numbers::pi / 180, turn = 2 * std::numbers::pi;
constexpr Unit units[] = {
    {"m", "m", 1},
    {"mm", "m", 1e-3},
    {"cm", "m", 1e-2},
    {"km", "m", 1e3},
    {"kg", "kg", 1},
    {"g", "kg", 1e-3},
    {"s", "s", 1},
    {"ms", "s", 1e-3},
    {"min", "s", 60},
    {"h", "s", 3600},
    {"rad", "rad", 1},
    {"deg", "rad", degree},
    {"rev", "rad", turn},
    {"m/s", "m/s", 1},
    {"mm/s", "m/s", 1e-3},
    {"km/s", "m/s", 1e3},
    {"km/h", "m/s", 1 / 3.6},
    {"rad/s", "rad/s", 1},
    {"deg/s", "rad/s", degree},
    {"rpm", "rad/s", turn / 60},
    {"m/s^2", "m/s^2", 1},
    {"N", "N", 1},
    {"kN", "N", 1e3},
    {"N*m", "N*m", 1},
    {"kN*m", "N*m", 1e3},
    {"N/m", "N/m", 1},
    {"N/mm", "N/m", 1e3},
    {"kN/m", "N/m", 1e3},
    {"N*m/rad", "N*m/rad", 1},
    {"N*m/deg", "N*m/rad", 1 / degree},
    {"N*s/m", "N*s/m", 1},
    {"N*m*s/rad", "N*m*s/rad", 1},
    {"kg*m^2", "kg*m^2", 1},
    {"g*cm^2", "kg*m^2", 1e-7},
    {"kg/m^3", "kg/m^3", 1},
    {"g/cm^3", "kg/m^3", 1e3},
    {"m/rad", "m/rad", 1},
    {"m/rev", "m/rad", 1 / turn},
    {"mm/rev", "m/rad", 1e-3 / turn},
    {"m^3/s^2", "m^3/s^2", 1},
    {"km^3/s^2", "m^3/s^2", 1e9},
    {"C", "C", 1},
    {"T", "T", 1},
    {"J", "J", 1},
};

/// The symbols of SI units that other programs write into tables, as powers of m, kg, s and C.
struct Symbol {
  std::string_view name;
  std::array<int, 4> powers;
};
constexpr Symbol symbols[] = {{"1", {}},
                              {"rad", {}},
                              {"m", {1, 0, 0, 0}},
                              {"kg", {0, 1, 0, 0}},
                              {"s", {0, 0, 1, 0}},
                              {"C", {0, 0, 0, 1}},
                              {"N", {1, 1, -2, 0}},
                              {"J", {2, 1, -2, 0}},
                              {"W", {2, 1, -3, 0}},
                              {"T", {0, 1, -1, -1}},
                              {"A", {0, 0, -1, 1}},
                              {"V", {2, 1, -2, -1}},
                              {"Hz", {0, 0, -1, 0}},
                              {"Pa", {-1, 1, -2, 0}}};
constexpr int highest_power = 99;

}  // namespace

std::span<const Unit> all_units() { return units; }

std::optional<SiUnit> si_unit(std::string_view unit) {
  SiUnit all;
  const auto named = std::find_if(std::begin(units), std::end(units),
                                  [&](const Unit& known) { return known.suffix == unit; });
  if (named != std::end(units)) all.factor = named->factor, unit = named->si;
  for (int sign = 1; true;) {
    const std::size_t end = std::min(unit.find_first_of("*/"), unit.size());
    const std::string_view symbol = unit.substr(0, end), base = symbol.substr(0, symbol.find('^'));
    const auto found = std::find_if(std::begin(symbols), std::end(symbols),
                                    [&](const Symbol& known) { return known.name == base; });
    int power = 1;
    const char* const last = symbol.data() + symbol.size();
    if (found == std::end(symbols)) return std::nullopt;
    if (base.size() < symbol.size()) {
      const auto [rest, problem] = std::from_chars(base.data() + base.size() + 1, last, power);
      if (problem != std::errc() || rest != last || power > highest_power || power < -highest_power)
        return std::nullopt;
    }
    for (std::size_t i = 0; i < all.powers.size(); ++i) all.powers[i] += sign * power * found->powers[i];
    if (end == unit.size()) return all;
    sign = unit[end] == '/' ? -1 : 1;
    unit.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::variant<double, std::string> unit_factor(std::string_view suffix, std::string_view si) {
  if (si.empty()) return fmt::format(" must be a plain number, without the unit \"{}\"", suffix);
  if (suffix == si) return 1.;
  std::vector<std::string_view> fitting;
  bool known = false;
  for (const Unit& unit : units) {
    if (unit.suffix == suffix && unit.si == si) return unit.factor;
    known = known || unit.suffix == suffix;
    if (unit.si == si) fitting.push_back(unit.suffix);
  }
  if (fitting.empty()) fitting.push_back(si);
  if (known) return fmt::format(" takes {}, not \"{}\"", fmt::join(fitting, ", "), suffix);
  const std::string hint = did_you_mean(suffix, fitting);
  return fmt::format(": unknown unit \"{}\"{}", suffix,
                     hint.empty() ? fmt::format("; it takes {}", fmt::join(fitting, ", ")) : hint);
}

}  // namespace torsor::scene
