#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hdf5_content.hpp"

namespace torsor::io {

/// Returns parts of the contents of one HDF5 file by absolute paths inside it. Checks every shape, because
/// files may come from any source. Throws ResultError.
class Hdf5Reader {
 public:
  /// `path`: for messages.
  Hdf5Reader(const std::filesystem::path& path, const Hdf5Content& content)
      : name_(path.string()), content_(content) {}

  bool has(const std::string& path) const { return content_.sets.count(path) > 0; }
  const std::vector<std::string>& strings(const std::string& path) const;
  const std::string& text(const std::string& path) const;
  /// The numbers of a dataset of exactly this shape.
  const std::vector<double>& array(const std::string& path, const std::vector<std::size_t>& shape) const;
  /// The number of rows of a dataset, which is the first number of its shape.
  std::size_t rows(const std::string& path) const;

  [[noreturn]] void fail(const std::string& why) const;

 private:
  const Hdf5Content::Set& set(const std::string& path) const;
  std::string name_;
  const Hdf5Content& content_;
};

}  // namespace torsor::io
