#include "torsor/io/segment.hpp"

#include <algorithm>

#include "hdf5_file.hpp"
#include "partial_file.hpp"

namespace torsor {

TrajectorySegment::TrajectorySegment(std::vector<std::string> columns)
    : columns_(std::move(columns)), file_(std::make_unique<Hdf5File>("segment")) {
  file_->attribute("/", {"format", std::string("torsor/segment/1")});
  file_->strings("/columns", columns_);
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
