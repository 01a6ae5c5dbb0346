#include <algorithm>
#include <charconv>
#include <cmath>

#include "toml.hpp"

namespace torsor::scene {
namespace {

class Writer {
 public:
  std::string text;

  /// `keep_lines`: whether a string with line breaks is written over several lines.
  explicit Writer(bool keep_lines) : keep_lines_(keep_lines) {}

  void document(const Node::Table& top) {
    for (const Entry& entry : top)
      if (!is_section(entry.value)) assignment(entry);
    for (const Entry& entry : top) {
      if (!is_section(entry.value)) continue;
      if (const auto* table = entry.value.as<Node::Table>()) {
        section("[", entry.key, "]", *table);
      } else {
        for (const Node& element : *entry.value.as<Node::Array>())
          section("[[", entry.key, "]]", *element.as<Node::Table>());
      }
    }
  }

  // `scan` and the limit on the parts of an override path limit the depth of the recursion.
  void value(const Node& node) {
    if (const auto* boolean = node.as<bool>()) {
      text += *boolean ? "true" : "false";
    } else if (const auto* integer = node.as<std::int64_t>()) {
      text += std::to_string(*integer);
    } else if (const auto* real = node.as<double>()) {
      number(*real);
    } else if (const auto* string = node.as<std::string>()) {
      quoted(*string, keep_lines_);
    } else if (const auto* array = node.as<Node::Array>()) {
      list('[', *array, ']', [this](const Node& element) { value(element); });
    } else if (const auto* table = node.as<Node::Table>()) {
      list('{', *table, '}', [this](const Entry& entry) {
        key(entry.key);
        text += " = ";
        value(entry.value);
      });
    }
  }

 private:
  static bool is_section(const Node& node) {
    if (node.as<Node::Table>()) return true;
    const auto* array = node.as<Node::Array>();
    return array && !array->empty() && std::all_of(array->begin(), array->end(), [](const Node& element) {
             return element.as<Node::Table>() != nullptr;
           });
  }

  void section(const char* open, const std::string& name, const char* close, const Node::Table& table) {
    if (!text.empty()) text += '\n';
    text += open;
    key(name);
    (text += close) += '\n';
    for (const Entry& entry : table) assignment(entry);
  }

  void assignment(const Entry& entry) {
    key(entry.key);
    text += " = ";
    value(entry.value);
    text += '\n';
  }

  void key(const std::string& name) {
    constexpr std::string_view bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (!name.empty() && name.find_first_not_of(bare) == std::string::npos)
      text += name;
    else
      quoted(name, false);
  }

  void list(char open, const auto& elements, char close, auto write) {
    text += open;
    bool first = true;
    for (const auto& element : elements) {
      if (!first) text += ", ";
      first = false;
      write(element);
    }
    text += close;
  }

  void number(double x) {
    char digits[32];
    const char* end = std::to_chars(digits, digits + sizeof digits, x).ptr;
    const std::string_view written(digits, end);
    text += written;
    if (written.find_first_of(".en") == std::string_view::npos)
      text += ".0";  // so that the parser reads a float again
  }

  void quoted(const std::string& string, bool keep_lines) {
    constexpr char hex[] = "0123456789ABCDEF";
    const bool lines = keep_lines && string.find('\n') != string.npos;
    text += lines ? "\"\"\"\n" : "\"";
    for (char c : string) {
      if (c == '"' || c == '\\')
        (text += '\\') += c;
      else if ((static_cast<unsigned char>(c) < 0x20 && !(lines && c == '\n')) || c == 0x7F)
        ((text += "\\u00") += hex[c >> 4]) += hex[c & 15];
      else
        text += c;
    }
    text += lines ? "\"\"\"" : "\"";
  }

  bool keep_lines_;
};

}  // namespace

std::string to_toml(const Node& document) {
  Writer writer(true);  // because the length of a line in a file is limited
  writer.document(*document.as<Node::Table>());
  return std::move(writer.text);
}

std::string to_toml_value(const Node& node) {
  Writer writer(false);
  writer.value(node);
  return std::move(writer.text);
}

}  // namespace torsor::scene
