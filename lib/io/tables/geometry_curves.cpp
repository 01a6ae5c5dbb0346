#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "csv_row.hpp"
#include "io/provenance.hpp"
#include "io/text_file.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::io {
namespace {

constexpr const char* curve_format = "torsor/curves/1";

/// Adds a column for each component of the vectors. Its name is `prefix` and the name of the component.
void add(std::vector<Series>& all, const std::string& prefix, const std::vector<std::string>& names,
         const std::vector<Vec>& values) {
  if (values.empty()) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Series one{prefix + names[i], "", {}};
    for (const Vec& value : values) one.values.push_back(value[static_cast<Eigen::Index>(i)]);
    all.push_back(std::move(one));
  }
}
void add(std::vector<Series>& all, const std::string& prefix, const std::vector<std::string>& frame,
         const Transport& transport) {
  add(all, prefix + "vector.", frame, transport.vector);
  if (!transport.vector.empty()) all.push_back({prefix + "vector_length", "", transport.length});
}

/// The values of a line, separated by commas.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all(1);
  for (const char c : line)
    if (c == ',')
      all.emplace_back();
    else if (c != '\r')
      all.back() += c;
  return all;
}

double number_in(const std::string& cell, const std::string& file) {
  double x = 0;
  const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
  if (problem != std::errc() || end != cell.data() + cell.size())
    throw ResultError(fmt::format("{} is damaged: \"{:.40}\" is not a number", file, plain_text(cell)));
  return x;
}

}  // namespace

std::vector<Series> columns_of(const scene::Scene& scene, const CoordinateCurves& curves) {
  const std::vector<std::string>& coordinates = scene.in_coordinates->coordinates;
  std::vector<Series> all{{"t", "s", curves.t}};
  for (const Autoparallel& one : curves.autoparallels) {
    const std::string prefix = "autoparallel." + one.connection + ".";
    add(all, prefix + "coordinate.", coordinates, one.q);
    add(all, prefix + "velocity.", curves.frame, one.velocity);
    add(all, prefix, curves.frame, one);
  }
  add(all, "motion.coordinate.", coordinates, curves.q);
  add(all, "motion.velocity.", curves.frame, curves.velocity);
  for (const Transport& one : curves.along_motion)
    add(all, "motion." + one.connection + ".", curves.frame, one);
  return all;
}

void write_curves(const std::filesystem::path& path, const scene::Scene& scene,
                  const CoordinateCurves& curves, const Overwrite& overwrite) {
  const std::vector<Series> all = columns_of(scene, curves);
  std::vector<Column> heads;
  heads.reserve(all.size());
  for (const Series& one : all) heads.push_back({one.name, one.unit});
  std::string text = table_head(curve_format, heads) + comment("scene", scene.name) +
                     comment("version", provenance().version) +
                     comment("connection", std::string(scene.in_coordinates->equations_name()));
  for (std::size_t k = 0; k < curves.t.size(); ++k) {
    std::string line;
    Row row(line);
    for (const Series& one : all) row.number(one.values[k]);
    text += line + "\n";
  }
  write_text(path, std::move(text), marked(overwrite, table_mark(curve_format)));
}

std::vector<Series> read_curves(const std::filesystem::path& path) {
  const std::string file = plain_text(path.string());
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::not_found)
    throw ResultError(fmt::format("no such file or folder: {}", file));
  if (failure) throw ResultError(fmt::format("cannot read {}: {}", file, failure.message()));
  if (!std::filesystem::is_regular_file(status))
    throw ResultError(fmt::format("{} is not a regular file", file));
  std::ifstream in(path, std::ios::binary);
  if (!in.is_open())
    throw ResultError(fmt::format("cannot read {}: {}", file, std::generic_category().message(errno)));
  std::string line, mark, units;
  if (!std::getline(in, line) || !std::getline(in, mark) || "\n" + mark + "\n" != table_mark(curve_format) ||
      !std::getline(in, units) || !units.starts_with("# unit: "))
    throw ResultError(fmt::format("{} is not a table of curves that torsor geometry --curves writes", file));
  std::vector<Series> all;
  const std::vector<std::string> names = cells(line), of_units = cells(units.substr(8));
  for (std::size_t i = 0; i < names.size(); ++i)
    all.push_back({names[i], i < of_units.size() ? of_units[i] : "", {}});
  while (std::getline(in, line)) {
    if (line.starts_with('#')) continue;
    const std::vector<std::string> row = cells(line);
    if (row.size() != all.size())
      throw ResultError(
          fmt::format("{} is damaged: a line has {} values for {} columns", file, row.size(), all.size()));
    for (std::size_t i = 0; i < row.size(); ++i) all[i].values.push_back(number_in(row[i], file));
  }
  if (in.bad())
    throw ResultError(fmt::format("cannot read {}: {}", file, std::generic_category().message(errno)));
  if (all.front().values.empty()) throw ResultError(fmt::format("{} has no rows", file));
  return all;
}

}  // namespace torsor::io
