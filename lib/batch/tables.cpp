#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "cells.hpp"
#include "condition.hpp"
#include "io/output_file.hpp"
#include "layout.hpp"
#include "table.hpp"

namespace torsor::batch {
namespace {

constexpr const char *batch_format = "torsor/batch/2", *statistics_format = "torsor/statistics/2";

/// The columns that TableQuery::timings adds.
std::vector<io::Column> timing_columns() {
  return {{"attempts", "1"}, {"wall_s", "s"}, {"hash", ""}, {"segment", "1"}};
}

/// The columns of `cases` in the order of the tables. `timings`: with timing_columns().
std::vector<io::Column> all_columns(const Ledger& ledger, bool timings) {
  std::vector<io::Column> all = {{"case", "1"}};
  const auto add = [&all](const std::vector<io::Column>& columns) {
    all.insert(all.end(), columns.begin(), columns.end());
  };
  add(ledger.layout().parameters);
  add({{"status", ""}, {"message", ""}});
  add(ledger.layout().results);
  if (timings) add(timing_columns());
  return all;
}

/// The columns that a query asks for.
std::vector<io::Column> wanted_columns(const Ledger& ledger, const TableQuery& query) {
  if (query.columns.empty()) return all_columns(ledger, query.timings);
  const std::vector<io::Column> known = all_columns(ledger, true);
  std::vector<io::Column> wanted;
  for (const std::string& name : query.columns) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const io::Column& one) { return one.name == name; });
    if (found == known.end()) throw QueryError(unknown_column(name, names_of(known)));
    wanted.push_back(*found);
  }
  if (query.timings)
    for (const io::Column& one : timing_columns())
      if (std::find(wanted.begin(), wanted.end(), one) == wanted.end()) wanted.push_back(one);
  return wanted;
}

std::string select(const Ledger& ledger, const std::vector<io::Column>& wanted,
                   const std::string& condition) {
  std::string list;
  for (const io::Column& column : wanted) list += (list.empty() ? "" : ", ") + sql_name(column.name);
  const std::string where =
      condition.empty()
          ? ""
          : fmt::format(" WHERE ({})", sql_condition(condition, names_of(all_columns(ledger, true))));
  return fmt::format("SELECT {} FROM cases{} ORDER BY \"case\"", list, where);
}

/// Writes rows to `bytes` and calls `after_row` after each; stops and returns false if `after_row` does.
bool write_rows(Statement& rows, std::string& bytes, const std::function<bool()>& after_row) {
  while (rows.step()) {
    io::Row row(bytes);
    for (int i = 0; i < rows.columns(); ++i) put(row, rows.cell(i));
    bytes += '\n';
    if (!after_row()) return false;
  }
  return true;
}

/// The comments below the header, with the changes of the study that `--force` overrode.
std::string heading(const Ledger& ledger) {
  std::string all = ledger.fact("heading");
  Statement forced = ledger.database().prepare(
      "SELECT note FROM sessions WHERE note LIKE '%forced although%' ORDER BY number");
  while (forced.step()) all += io::comment("note", forced.text(0));
  return all;
}

/// Running mean, deviation and bounds of numbers. B. Welford, Technometrics 4 (1962), 419.
struct Statistics {
  double count = 0, mean = 0, squares = 0, least = 0, greatest = 0;
  void add(double x) {
    least = count == 0 ? x : std::min(least, x);
    greatest = count == 0 ? x : std::max(greatest, x);
    const double off = x - mean;
    mean += off / ++count;
    squares += off * (x - mean);
  }
  /// Not defined for one number.
  std::optional<double> deviation() const {
    return count > 1 ? std::optional(std::sqrt(squares / (count - 1))) : std::nullopt;
  }
};

/// The statistics of every result over the cases that reached their end, from rows with all columns.
class ResultStatistics {
 public:
  explicit ResultStatistics(const Ledger& ledger)
      : ledger_(ledger),
        status_(1 + static_cast<int>(ledger.layout().parameters.size())),
        all_(ledger.layout().results.size()) {}

  void add(const Statement& row) {
    if (!succeeded(row.text(status_))) return;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Cell cell = row.cell(status_ + 2 + static_cast<int>(i));
      if (const auto* x = std::get_if<double>(&cell); x && !std::isnan(*x)) all_[i].add(*x);
    }
  }

  void write(const std::filesystem::path& path, bool force) const {
    if (all_.empty()) return;
    io::OutputFile file(path, {io::table_mark(statistics_format), force});
    file.bytes = io::table_head(statistics_format, {{"column", ""},
                                                    {"unit", ""},
                                                    {"count", "1"},
                                                    {"mean", ""},
                                                    {"deviation", ""},
                                                    {"least", ""},
                                                    {"greatest", ""}}) +
                 heading(ledger_);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].count == 0) continue;
      io::Row row(file.bytes);
      row.text(ledger_.layout().results[i].name);
      row.text(ledger_.layout().results[i].unit);
      const Statistics& of = all_[i];
      row.number(of.count), row.number(of.mean);
      const auto deviation = of.deviation();
      deviation ? row.number(*deviation) : row.blank();
      row.number(of.least), row.number(of.greatest);
      file.bytes += '\n';
    }
    file.commit();
  }

 private:
  const Ledger& ledger_;
  int status_;
  std::vector<Statistics> all_;
};

}  // namespace

void check_tables(const std::filesystem::path& folder, bool force,
                  const std::vector<std::filesystem::path>& inputs) {
  io::check_overwrite(folder / "table.csv", {io::table_mark(batch_format), force, inputs});
  io::check_overwrite(folder / "statistics.csv", {io::table_mark(statistics_format), force, inputs});
}

std::filesystem::path write_tables(const std::filesystem::path& folder, Ledger& ledger, bool force,
                                   const std::function<bool()>& cancelled) {
  std::filesystem::path path = folder / "table.csv";
  io::OutputFile file(path, {io::table_mark(batch_format), force});
  const std::vector<io::Column> columns = all_columns(ledger, false);
  file.bytes = table_head(batch_format, columns) + heading(ledger);
  Statement rows = ledger.database().prepare(select(ledger, columns, ""));
  ResultStatistics statistics(ledger);
  const auto after_row = [&] {
    statistics.add(rows);
    file.spill();
    return !cancelled || !cancelled();
  };
  if (!write_rows(rows, file.bytes, after_row)) return {};
  file.complete();
  if (ledger.fact("statistics") == "1") statistics.write(folder / "statistics.csv", force);
  file.commit();
  return path;
}

void read_table(const std::filesystem::path& folder, const TableQuery& query,
                const std::function<void(std::string_view)>& out) {
  Ledger ledger(folder, Database::Access::read);
  const std::vector<io::Column> columns = wanted_columns(ledger, query);
  const std::string sql = select(ledger, columns, query.where);
  sqlite3_stmt* tried = nullptr;
  sqlite3* const database = ledger.database().handle();
  const int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &tried, nullptr);
  sqlite3_finalize(tried);
  if (code != SQLITE_OK) throw invalid_condition(query.where, sqlite3_errmsg(database));
  Statement rows = ledger.database().prepare(sql);
  std::string bytes = table_head(batch_format, columns);
  try {
    write_rows(rows, bytes, [&] {
      if (bytes.size() > 1 << 16) out(std::exchange(bytes, {}));
      return true;
    });
  } catch (const io::IoError&) {  // an overflow in the condition is no fault of the file
    const int failure = sqlite3_errcode(database);
    if (query.where.empty() || (failure != SQLITE_ERROR && failure != SQLITE_TOOBIG)) throw;
    throw QueryError(
        fmt::format("cannot evaluate the condition \"{}\": {}", query.where, sqlite3_errmsg(database)));
  }
  out(bytes);
}

bool is_batch(const std::filesystem::path& folder) { return Ledger::exists_in(folder); }

namespace {

/// A number of a row; NaN if the cell has none.
double number_at(const Statement& row, int column) {
  const Cell cell = row.cell(column);
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr ? *number : std::numeric_limits<double>::quiet_NaN();
}

/// A row of the table for a plot: where it is on the horizontal axis, and its numbers.
struct PlotRow {
  double over;
  std::vector<double> values;
};

/// The cases of a line, and the parameters by which they differ.
struct PlotCases {
  std::vector<PlotRow> rows;
  std::vector<std::string> parameters;  ///< of the first case
  std::set<std::size_t> varied;

  void add(PlotRow row, const std::vector<std::string>& values) {
    rows.push_back(std::move(row));
    if (parameters.empty()) parameters = values;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != parameters[i]) varied.insert(i);
  }
};

/// The cases of each line, by the value of `by`, for a table with the columns status, over, by (if any),
/// values and the parameters other than `by`.
std::map<Cell, PlotCases> cases_of_lines(Statement& rows, const TablePlot& plot) {
  const int first = plot.by.empty() ? 2 : 3, parameters = first + static_cast<int>(plot.columns.size());
  const double least = plot.view.from.value_or(-std::numeric_limits<double>::infinity());
  const double most = plot.view.to.value_or(std::numeric_limits<double>::infinity());
  std::map<Cell, PlotCases> lines;
  std::optional<std::string> text;  ///< the first one in place of a number
  while (rows.step()) {
    if (!succeeded(rows.text(0))) continue;
    const Cell cell = rows.cell(1);
    if (const auto* one = std::get_if<std::string>(&cell); one && !text) text = *one;
    const double over = number_at(rows, 1);
    if (!(over >= least && over <= most)) continue;
    PlotRow row{over, {}};
    for (int i = first; i < parameters; ++i) {
      const double value = number_at(rows, i);
      row.values.push_back(plot.view.logarithmic ? std::abs(value) : value);
    }
    std::vector<std::string> values;
    for (int i = parameters; i < rows.columns(); ++i) values.push_back(rows.text(i));
    Cell by = plot.by.empty() ? Cell("") : rows.cell(2);
    if (const auto* number = std::get_if<double>(&by); number && std::isnan(*number)) by = "";
    lines[by].add(std::move(row), values);
  }
  if (text && !lines.empty())
    throw QueryError(fmt::format("\"{}\" is the text \"{}\" in some case; a horizontal axis needs numbers",
                                 plot.over, *text));
  for (auto& [value, line] : lines)
    std::stable_sort(line.rows.begin(), line.rows.end(),
                     [](const PlotRow& a, const PlotRow& b) { return a.over < b.over; });
  return lines;
}

/// The label of a line: "body.top.mass = 5 kg".
std::string label_of_line(const io::Column& by, const Cell& value) {
  std::string text = by.name + " = ";
  io::Row cell(text);
  put(cell, value);
  return by.unit.empty() || by.unit == "1" ? text : text + " " + by.unit;
}

}  // namespace

std::vector<io::Plot> plots_of(const std::filesystem::path& folder, const TablePlot& plot) {
  Ledger ledger(folder, Database::Access::read);
  TableQuery query;
  query.columns = {"status", plot.over};
  if (!plot.by.empty()) query.columns.push_back(plot.by);
  const std::size_t first = query.columns.size();
  query.columns.insert(query.columns.end(), plot.columns.begin(), plot.columns.end());
  for (const io::Column& one : ledger.layout().parameters)
    if (one.name != plot.by) query.columns.push_back(one.name);
  const std::vector<io::Column> columns = wanted_columns(ledger, query);
  Statement rows = ledger.database().prepare(select(ledger, columns, ""));
  const auto lines = cases_of_lines(rows, plot);
  const auto no_number = [](const std::string& column) {
    return QueryError(fmt::format("no case that reached its end has a number in \"{}\"", column));
  };
  if (lines.empty() && (plot.view.from || plot.view.to))
    throw QueryError(fmt::format("no case that reached its end has a number in \"{}\" from {} to {}",
                                 plot.over, plot.view.from.value_or(-std::numeric_limits<double>::infinity()),
                                 plot.view.to.value_or(std::numeric_limits<double>::infinity())));
  if (lines.empty()) throw no_number(plot.over);

  std::vector<io::Plot> plots;
  for (std::size_t i = 0; i < plot.columns.size(); ++i) {
    const io::Column& column = columns[first + i];
    const auto is_text = [i](const auto& line) {
      return std::all_of(line.second.rows.begin(), line.second.rows.end(),
                         [i](const PlotRow& row) { return std::isnan(row.values[i]); });
    };
    if (column.unit.empty() && std::all_of(lines.begin(), lines.end(), is_text)) throw no_number(column.name);
    plots.push_back({plots.empty() ? plot.view.title : "",
                     io::axis_label(plot.over, columns[1].unit, false),
                     io::axis_label(column.name, column.unit, plot.view.logarithmic),
                     {},
                     plot.logarithmic_over,
                     plot.view.logarithmic});
    for (const auto& [value, cases] : lines) {
      io::PlotLine line{plot.by.empty() ? column.name : label_of_line(columns[2], value), {}, {}, true};
      line.joined = cases.varied.size() <= 1;
      for (const PlotRow& row : cases.rows) line.x.push_back(row.over), line.y.push_back(row.values[i]);
      plots.back().lines.push_back(std::move(line));
    }
  }
  return plots;
}

}  // namespace torsor::batch
