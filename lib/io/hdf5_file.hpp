#pragma once

#include <hdf5.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "facts.hpp"

namespace torsor {

/// One HDF5 file under construction, by absolute paths inside it ("/bodies/position"), every call checked. It
/// grows in memory and never touches the disk: on a full one the library leaves files that open and read
/// without an error, and brings the process down when it ends. `name` stands in messages.
class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& name);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  void group(const std::string& path);
  void strings(const std::string& path, const std::vector<std::string>& values);
  void text(const std::string& path, const std::string& value);
  void attribute(const std::string& object, const Fact& fact);

  /// Gives row i of a dataset: one number for each entry of a row.
  using FillRow = std::function<void(std::size_t i, std::span<double> row)>;
  /// Dataset [rows, shape...] of doubles, gathered and written a block of rows at a time.
  void array(const std::string& path, std::size_t rows, std::initializer_list<std::size_t> shape,
             const FillRow& fill);

  /// The bytes of the file as it stands.
  std::string image() const;

 private:
  std::string name_;
  hid_t file_ = H5I_INVALID_HID;
};

}  // namespace torsor
