#include "table_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "run/did_you_mean.hpp"
#include "run/plain_text.hpp"
#include "scene/source.hpp"
#include "units.hpp"

namespace torsor::scene {
namespace fs = std::filesystem;
namespace {

using Texts = std::vector<std::string_view>;

Texts cells_of(std::string_view line) {
  Texts cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    cells.push_back(trimmed(line.substr(from, comma - from)));
    from = comma + 1;
  }
  return cells;
}

}  // namespace

TableText::TableText(std::string_view text) : text_(text) {
  const auto place = [&](std::string_view part) {
    return static_cast<std::uint32_t>(part.data() - text.data());
  };
  std::uint32_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number > 1 && trimmed(line).empty()) continue;
    const auto size = static_cast<std::uint32_t>(line.size());
    lines_.push_back({place(line), size, number, static_cast<std::uint32_t>(cell_at_.size())});
    if (number == 1 || line.starts_with('#')) continue;
    for (std::size_t from = 0; from <= line.size(); from = std::min(line.find(',', from), line.size()) + 1)
      cell_at_.push_back(place(line) + static_cast<std::uint32_t>(from));
  }
}

std::string_view TableText::line(std::size_t i) const {
  return text_.substr(lines_[i].begin, lines_[i].size);
}

std::size_t TableText::cells(std::size_t i) const {
  return (i + 1 < lines_.size() ? lines_[i + 1].first_cell : cell_at_.size()) - lines_[i].first_cell;
}

std::string_view TableText::cell(std::size_t i, std::size_t column) const {
  const std::size_t at = cell_at_[lines_[i].first_cell + column];
  const std::string_view rest = text_.substr(at, lines_[i].begin + lines_[i].size - at);
  return trimmed(rest.substr(0, rest.find(',')));
}

namespace {

/// Reads the first column and another one.
class ColumnReader {
 public:
  ColumnReader(const std::string& file, const TableText& text, const std::string& column)
      : file_(file), text_(text), column_(column) {}

  std::vector<double> x, y;
  std::string why;

  void read() {
    read_names();
    while (why.empty() && next()) {
      if (line_.starts_with('#'))
        read_units();
      else
        read_row();
    }
    for (double& value : x) value *= x_unit_.value_or(SiUnit()).factor;
    for (double& value : y) value *= y_unit_.value_or(SiUnit()).factor;
  }

 private:
  bool next() {
    if (next_ == text_.lines()) return false;
    at_line_ = next_++;
    line_ = text_.line(at_line_);
    return true;
  }
  void refuse(std::string_view cell, std::string_view message) {
    if (why.empty())
      why =
          fmt::format("{}:{}:{}: {}", file_, text_.number(at_line_), cell.data() - line_.data() + 1, message);
  }

  void read_names() {
    if (!next()) return refuse(line_, "the file is empty; it needs a line with the names of its columns");
    std::vector<std::string_view> names;
    for (const std::string_view cell : cells_of(line_)) {
      const std::size_t open = cell.ends_with(']') ? cell.rfind('[') : cell.npos;
      names.push_back(trimmed(cell.substr(0, open)));
      const bool first = names.size() == 1;
      const bool wanted = !first && (names.back() == column_ || cell == column_);
      if (wanted && at_ > 0) return refuse(cell, fmt::format("two columns are named \"{:.60}\"", column_));
      if (wanted) at_ = names.size() - 1;
      if ((wanted || first) && open != cell.npos)
        set_unit(cell.substr(open + 1, cell.size() - open - 2), wanted ? y_unit_ : x_unit_);
    }
    if (names.size() < 2)
      return refuse(line_, "the file has one column; it needs an abscissa and a value, separated by commas");
    width_ = names.size();
    if (at_ == 0)
      refuse(line_, fmt::format("no column \"{:.60}\" after the first{}", column_,
                                did_you_mean(column_, {names.begin() + 1, names.end()})));
  }
  void set_unit(std::string_view unit, std::optional<SiUnit>& of_column) {
    unit = trimmed(unit);
    if (unit.empty() || unit == "1") return;
    const auto known = si_unit(unit);
    if (!known)
      refuse(unit, fmt::format("unknown unit \"{:.20}\"", unit));
    else if (of_column && *of_column != *known)
      refuse(unit, fmt::format("the unit \"{:.20}\" contradicts the unit that this column has above", unit));
    else
      of_column = known;
  }
  void read_units() {
    constexpr std::string_view mark = "unit:";
    const std::string_view comment = trimmed(line_.substr(1));
    if (!comment.starts_with(mark)) return;
    const Texts units = cells_of(comment.substr(mark.size()));
    if (units.size() != width_)
      return refuse(line_, fmt::format("the number of units is {}, and the number of columns is {}",
                                       units.size(), width_));
    set_unit(units[0], x_unit_);
    set_unit(units[at_], y_unit_);
  }
  void read_row() {
    const std::size_t cells = text_.cells(at_line_);
    if (cells != width_)
      return refuse(line_, fmt::format("the number of values is {}, and the first line names {} columns",
                                       cells, width_));
    const std::string_view first = text_.cell(at_line_, 0);
    const double abscissa = number(first);
    if (why.empty() && !x.empty() && !(abscissa > x.back()))
      refuse(first, fmt::format("the first column must increase, but {} follows {}", abscissa, x.back()));
    x.push_back(abscissa);
    y.push_back(number(text_.cell(at_line_, at_)));
  }
  double number(std::string_view cell) {
    double value = 0;
    const bool plus = cell.starts_with('+') && !cell.starts_with("+-");  // from_chars takes no plus sign
    const std::string_view digits = cell.substr(plus ? 1 : 0);
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem == std::errc::result_out_of_range)
      refuse(cell, fmt::format("\"{:.20}\" is outside the range of floating-point numbers", cell));
    else if (problem != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value))
      refuse(cell, fmt::format("\"{:.20}\" is not a finite number", cell));
    return value;
  }

  const std::string& file_;
  const TableText& text_;
  std::string_view line_;
  const std::string& column_;
  std::size_t at_ = 0, width_ = 0, at_line_ = 0, next_ = 0;
  std::optional<SiUnit> x_unit_, y_unit_;
};

struct Options {
  Table::Method method = Table::Method::linear;
  Table::Ends ends = Table::Ends::clamped;
};

std::optional<Options> options_of(const std::vector<std::string>& words, std::string& why) {
  const std::vector<std::string_view> methods{"linear", "akima", "cubic"},
      ends{"clamped", "periodic", "none"};
  Options options;
  int methods_given = 0, ends_given = 0;
  for (const std::string& word : words) {
    const auto method = std::find(methods.begin(), methods.end(), word);
    const auto end = std::find(ends.begin(), ends.end(), word);
    if (method != methods.end() && ++methods_given == 1) {
      options.method = static_cast<Table::Method>(method - methods.begin());
    } else if (end != ends.end() && ++ends_given == 1) {
      options.ends = static_cast<Table::Ends>(end - ends.begin());
    } else {
      why = fmt::format(
          "table takes \"linear\", \"akima\" or \"cubic\", and \"clamped\", \"periodic\" or \"none\", "
          "after x, got \"{:.40}\"",
          word);
      return std::nullopt;
    }
  }
  return options;
}

/// Why a file must not be read; empty if it may. Only names below the folder of the scene are allowed.
std::string why_not_below(const fs::path& folder, const std::string& file) {
  const fs::path path = fs::path(file).lexically_normal();
  std::error_code failure;
  const fs::path whole = fs::weakly_canonical(folder / path, failure),
                 top = fs::weakly_canonical(folder, failure);
  const fs::path from_top = whole.lexically_relative(top);
  if (file.empty() || file.find('\0') != file.npos || path.is_absolute() || *path.begin() == ".." ||
      (!from_top.empty() && *from_top.begin() == ".."))
    return fmt::format(
        "\"{:.80}\" is not a file in the folder of the scene or below; give a path relative to this folder",
        file);
  return {};
}

}  // namespace

TableFiles::TableFiles(const std::string& folder, const Node& document,
                       std::map<std::string, std::string> known)
    : folder_(folder), given_(std::move(known)) {
  const Node* files = document.find("files");
  const auto* entries = files ? files->as<Node::Table>() : nullptr;
  if (!entries) return;
  for (const Entry& entry : *entries)
    if (const auto* text = entry.value.as<std::string>()) given_.insert_or_assign(entry.key, *text);
}

const TableText* TableFiles::text(const std::string& file, std::string& why) {
  if (const auto known = cells_.find(file); known != cells_.end()) return &known->second;
  std::string text;
  if (const auto given = given_.find(file); given != given_.end()) {
    text = given->second;
  } else {
    why = why_not_below(folder_, file);
    if (!why.empty()) return nullptr;
    try {
      text = read_text((fs::path(folder_) / file).string(), "table");
    } catch (const SceneError& error) {
      why = fmt::format("{:.80}: {}", file, error.diagnostics.front().message);
      return nullptr;
    }
  }
  bytes_ += text.size();
  if (bytes_ > most_bytes)
    why = fmt::format("{:.80}: more than {} MiB in tables, the limit of a scene", file, most_bytes >> 20);
  else if (!is_utf8(text))
    why = fmt::format("{:.80}: the text is not UTF-8", file);
  else if (text.find('\0') != text.npos)
    why = fmt::format("{:.80}: the text contains a NUL byte", file);
  if (!why.empty()) return nullptr;
  const std::string& kept = texts_.emplace(file, std::move(text)).first->second;
  return &cells_.try_emplace(file, kept).first->second;
}

std::shared_ptr<const Table> TableFiles::table(const std::string& file, const std::string& column,
                                               const std::vector<std::string>& options, std::string& why) {
  std::vector<std::string> key{file, column};
  key.insert(key.end(), options.begin(), options.end());
  if (const auto known = tables_.find(key); known != tables_.end()) return known->second;
  const auto chosen = options_of(options, why);
  const TableText* text = chosen ? this->text(file, why) : nullptr;
  if (!text) return nullptr;
  ColumnReader reader(file, *text, column);
  reader.read();
  const std::size_t least = Table::least_points(chosen->method);
  if (!reader.why.empty())
    why = std::move(reader.why);
  else if (reader.x.size() < least)
    why = fmt::format("{}: the number of rows is {}; the interpolation needs at least {}", file,
                      reader.x.size(), least);
  else if (chosen->ends == Table::Ends::periodic && reader.y.front() != reader.y.back())
    why = fmt::format("{}: the first and the last value of a periodic table must be equal, got {} and {}",
                      file, reader.y.front(), reader.y.back());
  if (!why.empty()) return nullptr;
  auto made = std::make_shared<const Table>(std::move(reader.x), reader.y, chosen->method, chosen->ends);
  if (!made->finite()) {
    why = fmt::format("{}: the abscissae or the slopes of \"{:.60}\" are not finite", file, column);
    return nullptr;
  }
  return tables_.emplace(std::move(key), std::move(made)).first->second;
}

}  // namespace torsor::scene
