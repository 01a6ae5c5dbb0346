#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

#include "source.hpp"
#include "toml.hpp"

namespace torsor::scene {
namespace {

Position position(const ::toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

/// Positions of keys and values: their own in a text, or one fixed position for a value of the command line.
struct Places {
  const Position* fixed = nullptr;
  Position operator()(const ::toml::source_region& region) const {
    return fixed != nullptr ? *fixed : position(region);
  }
};

// `scan` limits the depth of the recursion.
Node convert(const ::toml::node& from, const Places& place) {
  Node node{Node::Date{}, place(from.source())};
  if (const auto* table = from.as_table()) {
    Node::Table entries;
    entries.reserve(table->size());
    for (const auto& [key, value] : *table)
      entries.push_back({std::string(key.str()), place(key.source()), convert(value, place)});
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.key_at.line, a.key_at.column) < std::tie(b.key_at.line, b.key_at.column);
    });
    node.value = std::move(entries);
  } else if (const auto* array = from.as_array()) {
    Node::Array elements;
    elements.reserve(array->size());
    for (const auto& element : *array) elements.push_back(convert(element, place));
    node.value = std::move(elements);
  } else if (const auto* text = from.as_string()) {
    node.value = text->get();
  } else if (const auto* integer = from.as_integer()) {
    node.value = integer->get();
  } else if (const auto* number = from.as_floating_point()) {
    node.value = number->get();
  } else if (const auto* boolean = from.as_boolean()) {
    node.value = boolean->get();
  }
  return node;
}

/// The number of bytes of the line in front of the column, which counts characters from 1.
std::size_t bytes_before(std::string_view line, int column) {
  std::size_t at = 0;
  for (int passed = 0; at < line.size(); ++at)
    if ((static_cast<unsigned char>(line[at]) & 0xC0) != 0x80 && ++passed == column) break;
  return at;
}

/// The text without the blanks around it, and without the quotes if it is one quoted name.
std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  text = text.substr(0, text.find_last_not_of(" \t") + 1);
  const bool quoted = text.size() > 1 && (text[0] == '"' || text[0] == '\'');
  return quoted && text.find(text[0], 1) == text.size() - 1 ? text.substr(1, text.size() - 2) : text;
}

/// The key whose name or value is at the column: the header of a table, or the text before "=".
std::string_view key_at(std::string_view line, int column) {
  const std::size_t column_begin = bytes_before(line, column);
  const std::size_t header = std::min(line.find_first_not_of(" \t"), line.size());
  std::size_t begin = 0;
  std::string_view key;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"')
        ++i;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[' || c == ',') {
      begin = i + 1;
    } else if (c == ']' && line[header] == '[' && column_begin <= i + 1) {
      return trimmed(line.substr(begin, i - begin));
    } else if (c == '=') {
      key = line.substr(begin, i - begin);
      if (line.find_first_not_of(" \t", i + 1) >= column_begin) break;
    }
  }
  return trimmed(key);
}

/// The message for a `description` of the parser. If a key is defined twice, its name is read from the line,
/// since the parser repeats characters of quoted names.
std::string message(std::string_view description, std::string_view line, int column) {
  constexpr std::string_view redefined = "cannot redefine existing ", prefix = "Error while ";
  if (description.find(redefined) != std::string_view::npos)
    return fmt::format("\"{:.80}\" is defined twice", key_at(line, column));
  if (description.starts_with(prefix)) description.remove_prefix(prefix.size());
  return fmt::format("not TOML: {}", description);
}

std::string_view line_at(std::string_view text, int line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace

Node parse_toml(std::string_view text, const Diagnostics& diagnostics) {
  try {
    return convert(::toml::parse(text), {});
  } catch (const ::toml::parse_error& error) {
    const Position at = position(error.source());
    diagnostics.throw_error(at, message(error.description(), line_at(text, at.line), at.column));
  }
}

std::optional<Node> parse_toml_value(std::string_view text, const Position& at) {
  // After a line break, the text could define further keys.
  if (text.find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
  static const Overrides none;
  try {
    const std::string line = fmt::format("value = {}", text);
    scan(line, Diagnostics({}, none));
    const ::toml::table table = ::toml::parse(line);
    // The text must not contain a comment, which would hide the bracket that closes these braces.
    if (text.find('#') != std::string_view::npos) (void)::toml::parse("braces = {" + line + "}");
    return convert(*table.get("value"), {&at});
  } catch (const ::toml::parse_error&) {
    return std::nullopt;
  } catch (const SceneError&) {
    return std::nullopt;
  }
}

}  // namespace torsor::scene
