#include "torsor/io/segment.hpp"

#include <algorithm>

#include "hdf5_file.hpp"
#include "partial_file.hpp"

namespace torsor {

TrajectorySegment::TrajectorySegment(const std::vector<Column>& columns)
    : file_(std::make_unique<Hdf5File>("segment")) {
  std::vector<std::string> units;
  for (const auto& [name, unit] : columns) columns_.push_back(name), units.push_back(unit);
  file_->attribute("/", {"format", std::string("torsor/segment/1")});
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

std::string TrajectorySegment::write(const std::filesystem::path& path) const {
  PartialFile partial(path);
  OutputFile file(partial.path());
  const std::string bytes = file.bytes = file_->image();
  file.close();
  partial.commit();
  return bytes;
}

}  // namespace torsor
