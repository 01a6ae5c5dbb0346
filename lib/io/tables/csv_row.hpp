#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "io/pages/facts.hpp"
#include "io/tables/columns.hpp"
#include "run/plain_text.hpp"

namespace torsor::io {

inline constexpr const char* axes[] = {"_x", "_y", "_z"};

/// Whether a spreadsheet would take a cell for a formula that can do harm: the cell begins with = or @, or
/// begins with a sign and contains a call, a pipe or a sheet. "-5 deg" is harmless.
inline bool is_formula(std::string_view cell) {
  if (cell.empty()) return false;
  if (cell[0] == '-' || cell[0] == '+') return cell.find_first_of("(|!") != cell.npos;
  return cell[0] == '=' || cell[0] == '@';
}

/// A text as a cell that all readers of tables read alike, even readers that do not know quotes: as
/// plain_text, without commas, double quotes and #, and with an apostrophe in front if it would be a
/// formula.
inline std::string plain_cell(std::string_view text) {
  std::string cell = plain_text(text);
  for (char& c : cell) {
    if (c == ',') c = ';';
    if (c == '"') c = '\'';
    if (c == '#') c = ' ';
  }
  return is_formula(cell) ? "'" + cell : cell;
}

/// Compares columns, one after another, with those of a list.
struct ColumnComparison {
  const std::vector<Column>& expected;
  std::size_t compared = 0;
  bool equal = true;

  void compare(std::string_view prefix, std::string_view label, std::string_view unit) {
    equal = equal && compared < expected.size();
    if (!equal) return;
    const Column& one = expected[compared++];
    equal = one.unit == unit && one.name.size() == prefix.size() + label.size() &&
            one.name.starts_with(prefix) && one.name.ends_with(label);
  }
  bool same() const { return equal && compared == expected.size(); }
};

/// Receives the columns of a sample from `write_row`. A Row collects either a line of comma-separated
/// values, or the names and units, or the values, or compares names and units. The same calls make all of
/// them, so that names, units and values agree.
class Row {
 public:
  explicit Row(std::string& line) : line_(&line) {}
  explicit Row(std::vector<Column>& columns) : columns_(&columns) {}
  explicit Row(std::vector<double>& values) : values_(&values) {}
  explicit Row(ColumnComparison& comparison) : comparison_(&comparison) {}

  /// Whether the row takes names and units. If not, names and units are ignored and need not be made.
  bool heads() const { return columns_ != nullptr || comparison_ != nullptr; }
  void number(std::string_view prefix, std::string_view label, std::string_view unit, double value) {
    if (columns_)
      columns_->push_back({std::string(prefix).append(label), std::string(unit)});
    else if (comparison_)
      comparison_->compare(prefix, label, unit);
    else if (values_)
      values_->push_back(value);
    else
      number(value);
  }
  void vector(std::string_view prefix, std::string_view label, std::string_view unit, const Vec3& value) {
    for (int k = 0; k < 3; ++k)
      number(prefix, heads() ? std::string(label) + axes[k] : std::string(), unit, value[k]);
  }

  // Only for a line.
  void number(double value) {
    char digits[32];
    next().append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void text(std::string_view value) { next() += plain_cell(value); }
  void blank() { next(); }

 private:
  std::string& next() {
    if (!empty_) *line_ += ',';
    empty_ = false;
    return *line_;
  }
  std::string* line_ = nullptr;
  std::vector<Column>* columns_ = nullptr;
  std::vector<double>* values_ = nullptr;
  ColumnComparison* comparison_ = nullptr;
  bool empty_ = true;
};

/// The second line of the tables of a format, with the line breaks around it.
inline std::string table_mark(std::string_view format) { return "\n# format: " + std::string(format) + "\n"; }

/// The beginning of every table: the names of its columns on the first line, where readers expect them, then
/// the format and the units as comments.
inline std::string table_head(std::string_view format, const std::vector<Column>& columns) {
  std::string names, units;
  Row name_row(names), unit_row(units);
  for (const Column& column : columns) name_row.text(column.name), unit_row.text(column.unit);
  return names + table_mark(format) + "# unit: " + units + "\n";
}

/// "kind.name.", the prefix of the columns of a part; empty if the row does not collect names.
inline std::string prefix(const Row& row, const char* kind, const std::string& name) {
  return row.heads() ? std::string(kind).append(".").append(name).append(".") : std::string();
}

/// Writes the columns of energies.
inline void write_energies(Row& row, const Invariants& at) {
  row.number("", "kinetic", "J", at.kinetic);
  row.number("", "potential", "J", at.potential);
  row.number("", "energy", "J", at.energy());
  row.number("", "work", "J", at.work);
}

inline std::string text_of(const Fact& fact) {
  if (const auto* words = std::get_if<std::string>(&fact.value)) return *words;
  if (const auto* count = std::get_if<long>(&fact.value)) return std::to_string(*count);
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, std::get<double>(fact.value)).ptr};
}

/// A comment line with one fact about how a table was made.
inline std::string comment(std::string_view name, std::string value) {
  for (char& c : value) c = c == '\n' || c == '\r' ? ' ' : c;
  return "# " + std::string(name) + ": " + value + "\n";
}

}  // namespace torsor::io
