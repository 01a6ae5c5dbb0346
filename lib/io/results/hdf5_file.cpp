#include "hdf5_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <mutex>
#include <shared_mutex>
#include <type_traits>

#include "digest.hpp"
#include "hdf5_driver.hpp"

namespace torsor::io {
namespace {

std::mutex next;                       ///< a thread that waits for its fork holds it, so that no call begins
std::shared_mutex forking;             ///< shared by the threads that call HDF5
thread_local int calls_of_thread = 0;  ///< objects of Hdf5Use and Hdf5Alone in this thread

}  // namespace

Hdf5Use::Hdf5Use() {
  if (calls_of_thread++ > 0) return;
  const std::lock_guard turn(next);
  forking.lock_shared();
}
Hdf5Use::~Hdf5Use() {
  if (--calls_of_thread == 0) forking.unlock_shared();
}

Hdf5Alone::Hdf5Alone() {
  const std::lock_guard turn(next);
  forking.lock();
  ++calls_of_thread;
}
Hdf5Alone::~Hdf5Alone() {
  --calls_of_thread;
  forking.unlock();
}

std::string hdf5_reason() {
  std::string text = "HDF5 gives no reason";
  const auto take = [](unsigned, const H5E_error2_t* error, void* out) {
    if (error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
    return herr_t(0);
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, take, &text);
  return text;
}

hid_t hdf5_string_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

hid_t hdf5_string_transfer() {
  const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_buffer(transfer, 4 << 10, nullptr, nullptr);
  return transfer;
}

hid_t hdf5_timeless() {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation, false);
  return creation;
}

Hdf5File::Hdf5File(const std::filesystem::path& path, const std::string& kind, const Overwrite& overwrite)
    : kind_(kind), out_(path, marked(overwrite, digest_mark(kind))) {
  const Hdf5Use use;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are thrown, not printed
  const Hid access(hdf5_access(out_.descriptor(), failure_), H5Pclose),
      creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_istore_k(creation, 8);  // small indices: most datasets have few chunks
  file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access);
  check(file_ >= 0, "the file");
  attribute("/", {"format", kind});
}

Hdf5File::~Hdf5File() {
  const Hdf5Use use;
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::check_disk() const {
  if (failure_ == 0) return;
  errno = failure_;
  throw system_error("write", out_.path());
}

void Hdf5File::check(bool good, const std::string& object) const {
  check_disk();
  if (!good)
    throw IoError(fmt::format("cannot write {} ({}): {}", out_.path().string(), object, hdf5_reason()));
}

void Hdf5File::group(const std::string& path) {
  const Hdf5Use use;
  const Hid group(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check(group >= 0, path);
}

void Hdf5File::strings(const std::string& path, const std::vector<std::string>& values) {
  const Hdf5Use use;
  std::vector<const char*> pointers;
  pointers.reserve(values.size());
  for (const auto& value : values) pointers.push_back(value.c_str());
  const hsize_t size = values.size();
  const Hid type(hdf5_string_type(), H5Tclose), space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Hid creation(hdf5_timeless(), H5Pclose), transfer(hdf5_string_transfer(), H5Pclose);
  const Hid set(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  check(set >= 0, path);
  if (size > 0) check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, transfer, pointers.data()) >= 0, path);
}

void Hdf5File::text(const std::string& path, const std::string& value) {
  const Hdf5Use use;
  const char* pointer = value.c_str();
  const Hid type(hdf5_string_type(), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hid creation(hdf5_timeless(), H5Pclose), transfer(hdf5_string_transfer(), H5Pclose);
  const Hid set(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  check(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, transfer, &pointer) >= 0, path);
}

void Hdf5File::attribute(const std::string& object, const Fact& fact) {
  const Hdf5Use use;
  const Hid space(H5Screate(H5S_SCALAR), H5Sclose), text(hdf5_string_type(), H5Tclose);
  const auto write = [&](hid_t type, const void* data) {
    const Hid attribute(H5Acreate_by_name(file_, object.c_str(), fact.name.c_str(), type, space, H5P_DEFAULT,
                                          H5P_DEFAULT, H5P_DEFAULT),
                        H5Aclose);
    check(attribute >= 0 && H5Awrite(attribute, type, data) >= 0, object + "@" + fact.name);
  };
  std::visit(
      [&]<class Value>(const Value& value) {
        if constexpr (std::is_same_v<Value, std::string>) {
          const char* pointer = value.c_str();
          write(text, &pointer);
        } else {
          write(std::is_same_v<Value, long> ? H5T_NATIVE_LONG : H5T_NATIVE_DOUBLE, &value);
        }
      },
      fact.value);
}

void Hdf5File::array(const std::string& path, std::size_t rows, std::initializer_list<std::size_t> shape,
                     const FillRow& fill) {
  Hdf5Rows set(*this, path, shape);
  for (std::size_t i = 0; i < rows; ++i) fill(i, set.next());
  set.close();
}

std::string Hdf5File::complete() {
  const Hdf5Use use;
  const bool closed = H5Fclose(file_) >= 0;
  file_ = H5I_INVALID_HID;
  check(closed, "closing the file");
  std::string hash = append_digest(out_, kind_);
  out_.complete();
  return hash;
}

}  // namespace torsor::io
