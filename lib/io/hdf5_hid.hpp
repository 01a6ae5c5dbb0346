#pragma once

#include <hdf5.h>

#include <string>

namespace torsor {

/// Owns one identifier; how it is given back depends on what it is.
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

/// The reason that stands deepest in HDF5's error stack, e.g. "No space left on device".
std::string hdf5_reason();
/// Texts of any length in UTF-8; to be closed.
hid_t hdf5_string_type();
/// How datasets are made: without a time of making, so that the same run gives the same bytes. To be closed.
hid_t hdf5_timeless();

}  // namespace torsor
