#pragma once

#include <hdf5.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hdf5_hid.hpp"
#include "io/output_file.hpp"
#include "io/pages/facts.hpp"

namespace torsor::io {

/// Writes one HDF5 file. Absolute paths ("/bodies/position") name the objects inside it, and every call is
/// checked. Only one block of rows of each dataset is kept in memory. The same calls give the same bytes.
class Hdf5File {
 public:
  /// `kind`: the attribute `format` of the root and the kind of the digest, such as "torsor/result/1".
  Hdf5File(const std::filesystem::path& path, const std::string& kind, const Overwrite& overwrite);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  void group(const std::string& path);
  void strings(const std::string& path, const std::vector<std::string>& values);
  void text(const std::string& path, const std::string& value);
  void attribute(const std::string& object, const Fact& fact);

  /// Fills row i of a dataset, with one number for each entry.
  using FillRow = std::function<void(std::size_t i, std::span<double> row)>;
  /// Writes a whole dataset [rows, shape...] of doubles.
  void array(const std::string& path, std::size_t rows, std::initializer_list<std::size_t> shape,
             const FillRow& fill);

  /// Throws IoError if a write to the disk has failed.
  void check_disk() const;
  /// Appends the digest and returns the hash. Close all Hdf5Rows before this call.
  std::string complete();
  /// Removes the earlier file that has the name of this file. Call `complete` first.
  void remove_earlier() { out_.remove_earlier(); }
  /// Gives the complete file its name.
  void commit() { out_.commit(); }

 private:
  friend class Hdf5Rows;
  void check(bool good, const std::string& object) const;

  std::string kind_;
  OutputFile out_;
  int failure_ = 0;  ///< errno of the first write that failed
  hid_t file_ = H5I_INVALID_HID;
};

/// A dataset [rows, shape...] of doubles that grows row by row, in chunks with checksums.
class Hdf5Rows {
 public:
  Hdf5Rows(Hdf5File& file, std::string path, const std::vector<std::size_t>& shape,
           std::vector<Fact> attributes = {});

  /// The next row, to be filled before the next call.
  std::span<double> next();
  /// Writes the remaining rows. After this call the dataset exists, even without rows.
  void close();

 private:
  void write();
  void make(hsize_t chunk_rows);

  Hdf5File& file_;
  std::string path_;
  std::vector<Fact> attributes_;
  std::vector<hsize_t> shape_;  ///< the first is the number of rows written so far
  std::size_t row_size_ = 1, chunk_rows_, filled_ = 0;
  std::vector<double> block_;
  std::optional<Hid> set_;
};

}  // namespace torsor::io
