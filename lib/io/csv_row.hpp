#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "facts.hpp"
#include "partial_file.hpp"

namespace torsor {

inline constexpr const char* axes[] = {"_x", "_y", "_z"};

/// Columns are declared and filled by the same walk over a sample, so that heads and numbers cannot part: a
/// line of comma-separated values, or the names or the values alone.
class Row {
 public:
  Row(std::string& line, bool heads) : line_(&line), heads_(heads) {}
  explicit Row(std::vector<std::string>& names) : names_(&names), heads_(true) {}
  explicit Row(std::vector<double>& values) : values_(&values) {}

  bool heads() const { return heads_; }
  void number(std::string_view prefix, std::string_view label, double value) {
    if (heads_)
      head(std::string(prefix).append(label));
    else if (values_)
      values_->push_back(value);
    else
      number(value);
  }
  void vector(std::string_view prefix, std::string_view label, const Vec3& value) {
    for (int k = 0; k < 3; ++k)
      number(prefix, heads_ ? std::string(label) + axes[k] : std::string(), value[k]);
  }

  // Of a line.
  void number(double value) {
    char digits[32];
    next().append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void text(std::string_view value) {
    std::string& line = next();
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
      line += value;
      return;
    }
    line += '"';
    for (const char c : value) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  void blank() { next(); }

 private:
  void head(std::string name) {
    if (names_)
      names_->push_back(std::move(name));
    else
      text(name);
  }
  std::string& next() {
    if (!empty_) *line_ += ',';
    empty_ = false;
    return *line_;
  }
  std::string* line_ = nullptr;
  std::vector<std::string>* names_ = nullptr;
  std::vector<double>* values_ = nullptr;
  bool heads_ = false, empty_ = true;
};

/// All columns of a sample.
void write_row(Row& row, const Scene& scene, const Sample& sample);
void write_row(Row& row, const Scene& scene, const ChartSample& sample);

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

/// The samples of a run behind what it says about its making.
template <class AnyTrajectory>
void write_table(const std::filesystem::path& path, const Scene& scene, const AnyTrajectory& trajectory) {
  PartialFile partial(path);
  OutputFile file(partial.path());
  write_facts(file, facts(scene, trajectory));
  const auto line = [&](const auto& sample, bool heads) {
    Row row(file.bytes, heads);
    write_row(row, scene, sample);
    file.bytes += '\n';
    file.spill();
  };
  line(trajectory.samples.front(), true);
  for (const auto& sample : trajectory.samples) line(sample, false);
  file.close();
  partial.commit();
}

}  // namespace torsor
