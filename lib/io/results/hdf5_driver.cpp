#include "hdf5_driver.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace torsor::io {
namespace {

/// The driver's part of an access list: the descriptor, and where to store an errno.
struct Target {
  int file;
  int* failure;
};

/// An open file of this driver. HDF5 requires that its own data come first.
struct Open {
  H5FD_t base;
  Target target;
  haddr_t eoa, eof;  ///< end of the allocated bytes, end of the written bytes
};

Open* open_of(H5FD_t* file) { return reinterpret_cast<Open*>(file); }
const Open* open_of(const H5FD_t* file) { return reinterpret_cast<const Open*>(file); }

constexpr haddr_t most = (haddr_t(1) << 62) - 1;

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
  const auto* target = static_cast<const Target*>(H5Pget_driver_info(access));
  struct stat about = {};
  if (target == nullptr || ::fstat(target->file, &about) != 0) return nullptr;
  return &(new Open{{}, *target, 0, static_cast<haddr_t>(about.st_size)})->base;
}

herr_t close(H5FD_t* file) {
  delete open_of(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t eoa(const H5FD_t* file, H5FD_mem_t) { return open_of(file)->eoa; }
haddr_t eof(const H5FD_t* file, H5FD_mem_t) { return open_of(file)->eof; }
herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  open_of(file)->eoa = end;
  return 0;
}

/// Reads zeros beyond the end of the file.
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* buffer) {
  const Target& target = open_of(file)->target;
  std::memset(buffer, 0, size);
  for (std::size_t done = 0; done < size;) {
    const auto got =
        ::pread(target.file, static_cast<char*>(buffer) + done, size - done, static_cast<::off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      *target.failure = errno;
      return -1;
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* buffer) {
  Open& own = *open_of(file);
  own.eof = std::max(own.eof, at + size);
  for (std::size_t done = 0; done < size && *own.target.failure == 0;) {
    const auto put = ::pwrite(own.target.file, static_cast<const char*>(buffer) + done, size - done,
                              static_cast<::off_t>(at + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) *own.target.failure = errno;
    done += put < 0 ? 0 : static_cast<std::size_t>(put);
  }
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  Open& own = *open_of(file);
  if (own.eof == own.eoa) return 0;
  if (::ftruncate(own.target.file, static_cast<::off_t>(own.eoa)) != 0 && *own.target.failure == 0)
    *own.target.failure = errno;
  own.eof = own.eoa;
  return 0;
}

hid_t driver() {
  static const hid_t registered = [] {
    H5FD_class_t about = {};
#ifdef H5FD_CLASS_VERSION
    about.version = H5FD_CLASS_VERSION;  // HDF5 1.14 refuses a driver without it
#endif
    about.name = "torsor";
    about.maxaddr = most;
    about.fc_degree = H5F_CLOSE_WEAK;
    about.fapl_size = sizeof(Target);
    about.open = open, about.close = close, about.query = query;
    about.get_eoa = eoa, about.set_eoa = set_eoa, about.get_eof = eof;
    about.read = read, about.write = write, about.truncate = truncate;
    constexpr H5FD_mem_t alike[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(alike), std::end(alike), about.fl_map);
    return H5FDregister(&about);
  }();
  return registered;
}

}  // namespace

hid_t hdf5_access(int file, int& failure) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  const Target target{file, &failure};
  H5Pset_driver(access, driver(), &target);
  return access;
}

}  // namespace torsor::io
