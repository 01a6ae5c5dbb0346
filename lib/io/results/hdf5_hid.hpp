#pragma once

#include <hdf5.h>

#include <string>

namespace torsor::io {

/// Owns one HDF5 identifier, and closes it by the function for its kind.
class Hid {
 public:
  Hid(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hid() {
    if (id_ >= 0) close_(id_);
  }
  Hid(const Hid&) = delete;
  Hid& operator=(const Hid&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// The innermost reason in HDF5's error stack, e.g. "No space left on device".
std::string hdf5_reason();
/// The type of UTF-8 texts of any length. The caller closes it.
hid_t hdf5_string_type();
/// Properties for the transfer of texts: 256 pointers are converted at a time. By default HDF5 clears two
/// buffers of 1 MiB for each dataset, however short. The caller closes them.
hid_t hdf5_string_transfer();
/// Properties of new datasets without a time stamp, so that the same run gives the same bytes. The caller
/// closes them.
hid_t hdf5_timeless();

}  // namespace torsor::io
