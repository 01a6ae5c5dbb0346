#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

namespace torsor::io {

/// Writes one JSON document from beginning to end, indented, with vectors on one line. Escapes names and
/// texts. Writes numbers in the shortest form that reads back as the same double, and null for numbers that
/// are not finite.
class JsonWriter {
 public:
  void open(std::string_view name = {}) { begin(name, '{'); }
  void open_list(std::string_view name) { begin(name, '['); }
  void close() {
    const char bracket = closing_.back();
    closing_.pop_back();
    if (!first_) new_line();
    out_ += bracket;
    first_ = false;
  }

  void text(std::string_view name, std::string_view value) {
    member(name);
    quote(value);
  }
  void number(std::string_view name, double value) {
    member(name);
    value_of(value);
  }
  void integer(std::string_view name, long value) {
    member(name);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void flag(std::string_view name, bool value) {
    member(name);
    out_ += value ? "true" : "false";
  }
  template <class Numbers>
  void vector(std::string_view name, const Numbers& values) {
    member(name);
    out_ += '[';
    const char* separator = "";
    for (const double value : values) {
      out_ += separator;
      value_of(value);
      separator = ", ";
    }
    out_ += ']';
  }

  /// Returns the document, with a line break at its end.
  std::string finish() { return std::move(out_ += '\n'); }

 private:
  void begin(std::string_view name, char bracket) {
    if (!closing_.empty()) member(name);
    out_ += bracket;
    closing_ += bracket == '{' ? '}' : ']';
    first_ = true;
  }
  void member(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    new_line();
    if (closing_.back() == ']') return;
    quote(name);
    out_ += ": ";
  }
  void new_line() { out_.append("\n").append(2 * closing_.size(), ' '); }
  void value_of(double value) {
    if (!std::isfinite(value)) {
      out_ += "null";
    } else {
      fmt::format_to(std::back_inserter(out_), "{}", value);
    }
  }
  void quote(std::string_view text) {
    out_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        (out_ += '\\') += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<unsigned char>(c));
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  std::string out_, closing_;
  bool first_ = true;
};

}  // namespace torsor::io
