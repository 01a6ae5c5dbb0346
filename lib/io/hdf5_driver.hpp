#pragma once

#include <hdf5.h>

#include "output_file.hpp"

namespace torsor {

/// A file access list for an HDF5 file that is read or written through this descriptor, which stays open. The
/// library never learns of a write that fails: on a full disk it leaves files that open and read without an
/// error, and brings the process down when it ends. The reason (errno) stands in `failure` instead, 0 while
/// there is none. To be closed.
hid_t hdf5_access(int file, int& failure);

}  // namespace torsor
