#include "io/segment.hpp"

#include <algorithm>

#include "digest.hpp"
#include "hdf5_file.hpp"

namespace torsor::io {

TrajectorySegment::TrajectorySegment(const std::filesystem::path& path, const std::vector<Column>& columns)
    : file_(std::make_unique<Hdf5File>(path, std::string(segment_kind), Overwrite{})) {
  std::vector<std::string> units;
  for (const auto& [name, unit] : columns) columns_.push_back(name), units.push_back(unit);
  file_->strings("/columns", columns_);
  file_->strings("/units", units);
}

TrajectorySegment::~TrajectorySegment() = default;

void TrajectorySegment::add(const std::string& name, const std::vector<std::string>& columns,
                            std::span<const double> rows) {
  const std::size_t width = columns.size();
  file_->array("/" + name, rows.size() / width, {width}, [&](std::size_t i, std::span<double> row) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(i * width), width, row.begin());
  });
  if (columns != columns_) file_->strings("/" + name + "_columns", columns);
}

std::string TrajectorySegment::commit() {
  std::string hash = file_->complete();
  file_->commit();
  return hash;
}

std::string segment_hash(const std::filesystem::path& path) {
  const InputFile file(path);
  return check_digest(file.descriptor(), segment_kind, path);
}

}  // namespace torsor::io
