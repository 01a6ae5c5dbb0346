#include <algorithm>
#include <limits>
#include <utility>

#include "hdf5_file.hpp"

namespace torsor::io {
namespace {

constexpr std::size_t chunk_bytes = 64 << 10;

}  // namespace

Hdf5Rows::Hdf5Rows(Hdf5File& file, std::string path, const std::vector<std::size_t>& shape,
                   std::vector<Fact> attributes)
    : file_(file), path_(std::move(path)), attributes_(std::move(attributes)), shape_{0} {
  for (const std::size_t size : shape) {
    shape_.push_back(size);
    row_size_ *= size;
  }
  chunk_rows_ = std::max<std::size_t>(1, chunk_bytes / sizeof(double) / std::max<std::size_t>(1, row_size_));
}

std::span<double> Hdf5Rows::next() {
  if (filled_ == chunk_rows_ && row_size_ > 0) write();
  const std::size_t at = filled_++ * row_size_;
  if (block_.size() < at + row_size_) block_.resize(at + row_size_);
  const auto row = std::span(block_).subspan(at, row_size_);
  std::fill(row.begin(), row.end(),
            std::numeric_limits<double>::quiet_NaN());  // NaN where the caller writes nothing
  return row;
}

/// Creates the dataset when the first block is written. If there is only one block, the chunk fits it
/// exactly.
void Hdf5Rows::make(hsize_t chunk_rows) {
  const Hid creation(hdf5_timeless(), H5Pclose), access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  std::vector<hsize_t> at_first = shape_, most = shape_;
  if (chunk_rows > 0 && row_size_ > 0) {
    std::vector<hsize_t> chunk = shape_;
    chunk[0] = chunk_rows;
    most[0] = H5S_UNLIMITED;
    H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    H5Pset_fletcher32(creation);
    H5Pset_chunk_cache(access, 0, 0, 1);  // whole chunks are written at once
  } else {
    at_first[0] = most[0] = filled_;  // there is nothing to write
  }
  const Hid space(H5Screate_simple(static_cast<int>(at_first.size()), at_first.data(), most.data()),
                  H5Sclose);
  set_.emplace(
      H5Dcreate2(file_.file_, path_.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, access),
      H5Dclose);
  file_.check(*set_ >= 0, path_);
}

void Hdf5Rows::write() {
  const Hdf5Use use;
  if (!set_) make(filled_);
  if (filled_ == 0 || row_size_ == 0) return;
  std::vector<hsize_t> begin(shape_.size(), 0), count = shape_;
  begin[0] = shape_[0];
  count[0] = filled_;
  shape_[0] += filled_;
  filled_ = 0;
  file_.check(H5Dset_extent(*set_, shape_.data()) >= 0, path_);
  const int rank = static_cast<int>(shape_.size());
  const Hid space(H5Dget_space(*set_), H5Sclose),
      memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
  file_.check(H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr) >= 0 &&
                  H5Dwrite(*set_, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block_.data()) >= 0,
              path_);
}

void Hdf5Rows::close() {
  write();
  set_.reset();
  for (const Fact& fact : attributes_) file_.attribute(path_, fact);
}

}  // namespace torsor::io
