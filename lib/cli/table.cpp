#include <fmt/format.h>

#include <algorithm>

#include "process.hpp"
#include "verbs.hpp"

namespace torsor::cli {
namespace {

/// The number of characters of a UTF-8 text.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (std::size_t k = 0; k < row.size(); ++k)
      line.append(row[k]).append(widths[k] - width(row[k]) + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string byte_count(double count) {
  constexpr double rounded_up = 999.5;  // with three digits, this count and greater ones are 1000 or more
  for (const char* unit : {"B", "kB", "MB", "GB"}) {
    if (count < rounded_up) return fmt::format("{:.3g} {}", count, unit);
    count /= 1000;
  }
  return fmt::format("{:.3g} TB", count);
}

std::string section(const char* title) {
  return fmt::format("\n{}{}{}\n", style_begin(Style::bold, 1), title, style_end(1));
}

}  // namespace torsor::cli
