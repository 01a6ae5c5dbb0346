#pragma once

#include <hdf5.h>

#include "io/output_file.hpp"

namespace torsor::io {

/// A file access property list for an HDF5 file that is read or written through this descriptor, which stays
/// open. The caller closes the list. A write that fails is not reported to the HDF5 library, because on a
/// full disk the library leaves files that open and read without an error, and crashes the process at its
/// end. The errno of the failure is stored in `failure` instead, which is 0 as long as there is none.
hid_t hdf5_access(int file, int& failure);

}  // namespace torsor::io
