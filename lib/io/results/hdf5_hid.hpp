#pragma once

#include <hdf5.h>

#include <string>

namespace torsor::io {

/// While an object of this class lives, its thread may call HDF5 and no thread forks. A child process that
/// was forked during a call of another thread would wait for ever for the lock that HDF5 takes in each call.
/// A thread may have several such objects.
class Hdf5Use {
 public:
  Hdf5Use();
  ~Hdf5Use();
  Hdf5Use(const Hdf5Use&) = delete;
  Hdf5Use& operator=(const Hdf5Use&) = delete;
};

/// While an object of this class lives, only its thread may call HDF5, so it may fork. The child process has
/// a copy of the object, and calls HDF5 too. Not within an Hdf5Use.
class Hdf5Alone {
 public:
  Hdf5Alone();
  ~Hdf5Alone();
  Hdf5Alone(const Hdf5Alone&) = delete;
  Hdf5Alone& operator=(const Hdf5Alone&) = delete;
};

/// Owns one HDF5 identifier, and closes it by the function for its kind.
class Hid {
 public:
  Hid(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hid() {
    const Hdf5Use use;
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
