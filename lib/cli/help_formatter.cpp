#include "help_formatter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace torsor::cli {

std::string in_lines(std::string_view text, std::size_t width) {
  std::string lines;
  std::size_t length = 0;  // of the last line
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const bool fits = length + 1 + word.size() <= width;
    if (!lines.empty()) lines += fits ? ' ' : '\n';
    length = !lines.empty() && fits ? length + 1 + word.size() : word.size();
    lines += word;
  }
  return lines;
}

std::string HelpFormatter::second_column(std::string_view text) const {
  const std::size_t first = get_column_width();
  return in_lines(text, std::max(first, width_ - std::min(first, width_)));
}

std::string HelpFormatter::make_description(const CLI::App* verb) const {
  return in_lines(verb->get_description(), width_) + '\n';
}

std::string HelpFormatter::make_subcommand(const CLI::App* verb) const {
  std::string text = second_column(verb->get_description());
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += get_column_width())
    text.insert(at + 1, get_column_width(), ' ');
  return fmt::format("  {:{}}{}\n", verb->get_name(), get_column_width() - 2, text);
}

/// CLI11 indents the lines after the first one.
std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  return second_column(option->get_description());
}

}  // namespace torsor::cli
