#include "io/columns.hpp"

#include "csv_row.hpp"

namespace torsor {
namespace {

template <class AnySample>
std::vector<Column> declared(const Scene& scene, const AnySample& sample) {
  std::vector<Column> all;
  Row row(all);
  write_row(row, scene, sample);
  return all;
}

template <class AnySample>
std::vector<std::string> names(const Scene& scene, const AnySample& sample) {
  std::vector<std::string> all;
  for (Column& column : declared(scene, sample)) all.push_back(std::move(column.name));
  return all;
}

template <class AnySample>
void fill(const Scene& scene, const AnySample& sample, std::vector<double>& values) {
  values.clear();
  Row row(values);
  write_row(row, scene, sample);
}

}  // namespace

std::vector<Column> columns_of(const Scene& scene, const Sample& sample) { return declared(scene, sample); }
std::vector<Column> columns_of(const Scene& scene, const ChartSample& sample) {
  return declared(scene, sample);
}

std::vector<std::string> column_names(const Scene& scene, const Sample& sample) {
  return names(scene, sample);
}
std::vector<std::string> column_names(const Scene& scene, const ChartSample& sample) {
  return names(scene, sample);
}

void column_values(const Scene& scene, const Sample& sample, std::vector<double>& values) {
  fill(scene, sample, values);
}
void column_values(const Scene& scene, const ChartSample& sample, std::vector<double>& values) {
  fill(scene, sample, values);
}

}  // namespace torsor
