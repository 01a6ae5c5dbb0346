#pragma once

#include <hdf5.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "torsor/io/stored_result.hpp"

namespace torsor {

/// Reads one HDF5 file by absolute paths inside it, every call checked: files come from anywhere. Throws
/// ResultError, IoError where the file is not there.
class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::filesystem::path& path);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  bool has(const std::string& path) const;
  std::vector<std::string> strings(const std::string& path) const;
  std::string text(const std::string& path) const;
  /// The numbers of a dataset of exactly this shape.
  std::vector<double> array(const std::string& path, const std::vector<std::size_t>& shape) const;
  /// The first number of the shape of a dataset.
  std::size_t rows(const std::string& path) const;
  /// All attributes of the root, as they were written.
  std::vector<Fact> facts() const;

  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::vector<hsize_t> shape(const std::string& path) const;
  std::string name_;
  hid_t file_ = H5I_INVALID_HID;
};

}  // namespace torsor
