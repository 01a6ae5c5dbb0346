#include "nesting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "expression.hpp"

namespace torsor::scene {

std::string why_too_deep(std::string_view text) {
  if (text.size() > Expression::longest)
    return fmt::format("an expression of more than {} characters", Expression::longest);
  std::vector<int> depths = {0};  // reached inside each open bracket, from the outermost on
  bool in_signs = false;          // after ^, before the number, name or bracket
  const auto is = [text](std::size_t i, std::string_view any_of) {
    return any_of.find(text[i]) < any_of.size();
  };
  const auto letter_or_digit = [text](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_prime = c == '\'' && i > 0 && (letter_or_digit(i - 1) || is(i - 1, "_'"));
    if (is(i, "'\"") && !is_prime) {  // brackets in quoted text do not nest
      i = std::min(text.find(c, i + 1), text.size());
      continue;
    }
    const bool plus_or_minus = is(i, "+-");
    const bool in_exponent = i >= 2 && is(i - 1, "eE") && is(i - 2, "0123456789.");  // of a number
    const bool ends_powers = is(i, "*/,<>") || (plus_or_minus && !in_signs && !in_exponent);
    if (c == '(') depths.push_back(depths.back() + 1);
    if (c == ')' && depths.size() > 1) depths.pop_back();
    if (c == '^') ++depths.back();
    if (ends_powers) depths.back() = depths.size() > 1 ? depths[depths.size() - 2] + 1 : 0;
    if (depths.back() > Expression::deepest)
      return fmt::format("an expression nested more than {} levels deep", Expression::deepest);
    if (!plus_or_minus && std::isspace(static_cast<unsigned char>(c)) == 0) in_signs = c == '^';
  }
  return {};
}

}  // namespace torsor::scene
