#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "facts.hpp"
#include "partial_file.hpp"

namespace torsor {

inline constexpr const char* axes[] = {"_x", "_y", "_z"};

/// Columns are declared and filled by the same walk over a sample, so that heads and numbers cannot part.
class Row {
 public:
  Row(std::string& line, bool heads) : line_(line), heads_(heads) {}
  void number(std::string_view prefix, std::string_view label, double value) {
    if (!empty_) line_ += ',';
    empty_ = false;
    if (heads_) {
      head(prefix, label);
    } else {
      char digits[32];
      line_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    }
  }
  void vector(std::string_view prefix, std::string_view label, const Vec3& value) {
    for (int k = 0; k < 3; ++k)
      number(prefix, heads_ ? std::string(label) + axes[k] : std::string(), value[k]);
  }

 private:
  void head(std::string_view prefix, std::string_view label) {
    std::string name = std::string(prefix).append(label);
    if (name.find_first_of(",\"\r\n") != std::string::npos) {
      for (std::size_t i = 0; (i = name.find('"', i)) != std::string::npos; i += 2) name.insert(i, 1, '"');
      name = '"' + name + '"';
    }
    line_ += name;
  }
  std::string& line_;
  bool heads_, empty_ = true;
};

/// The value as text on one line.
inline std::string one_line(const Fact& fact) {
  std::string text;
  if (const auto* words = std::get_if<std::string>(&fact.value)) {
    text = *words;
    for (char& c : text) c = c == '\n' || c == '\r' ? ' ' : c;
  } else if (const auto* count = std::get_if<long>(&fact.value)) {
    text = std::to_string(*count);
  } else {
    char digits[32];
    text.assign(digits, std::to_chars(digits, digits + sizeof digits, std::get<double>(fact.value)).ptr);
  }
  return text;
}

inline void write_facts(OutputFile& file, const std::vector<Fact>& facts) {
  file.bytes += "# torsor/table/1\n";
  for (const Fact& fact : facts) file.bytes += "# " + fact.name + ": " + one_line(fact) + "\n";
}

}  // namespace torsor
