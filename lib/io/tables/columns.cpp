#include "io/tables/columns.hpp"

#include "csv_row.hpp"
#include "io/motion_kind.hpp"

namespace torsor::io {

std::vector<Column> columns_of(const scene::Scene& scene, const Sample& sample) {
  std::vector<Column> all;
  Row row(all);
  motion_kind(scene).write_row(row, scene, sample);
  return all;
}

bool has_columns(const scene::Scene& scene, const Sample& sample, const std::vector<Column>& columns) {
  ColumnComparison comparison{columns};
  Row row(comparison);
  motion_kind(scene).write_row(row, scene, sample);
  return comparison.same();
}

std::vector<std::string> column_names(const scene::Scene& scene, const Sample& sample) {
  std::vector<std::string> all;
  for (Column& column : columns_of(scene, sample)) all.push_back(std::move(column.name));
  return all;
}

void column_values(const scene::Scene& scene, const Sample& sample, std::vector<double>& values) {
  values.clear();
  Row row(values);
  motion_kind(scene).write_row(row, scene, sample);
}

}  // namespace torsor::io
