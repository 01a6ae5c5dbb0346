#include "hdf5_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "hdf5_hid.hpp"
#include "torsor/io/io_error.hpp"

namespace torsor {

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

Hdf5File::Hdf5File(const std::filesystem::path& name) : name_(name.string()) {
  constexpr std::size_t growth = 4 << 20;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are thrown, not printed
  const Hid access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, growth, false);
  file_ = H5Fcreate(name_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file_ < 0) throw IoError(fmt::format("cannot create {}: {}", name_, hdf5_reason()));
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

namespace {

void check(bool good, const std::string& file, const std::string& object) {
  if (!good) throw IoError(fmt::format("cannot write {} ({}): {}", file, object, hdf5_reason()));
}

/// Objects carry no time of making: the same run gives the same bytes.
hid_t timeless_dataset() {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation, false);
  return creation;
}

}  // namespace

void Hdf5File::group(const std::string& path) {
  const Hid group(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  check(group >= 0, name_, path);
}

void Hdf5File::strings(const std::string& path, const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const auto& value : values) pointers.push_back(value.c_str());
  const hsize_t size = values.size();
  const Hid type(hdf5_string_type(), H5Tclose), space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Hid creation(timeless_dataset(), H5Pclose);
  const Hid set(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  check(set >= 0, name_, path);
  if (size > 0) check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) >= 0, name_, path);
}

void Hdf5File::text(const std::string& path, const std::string& value) {
  const char* pointer = value.c_str();
  const Hid type(hdf5_string_type(), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hid creation(timeless_dataset(), H5Pclose);
  const Hid set(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
  check(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer) >= 0, name_, path);
}

void Hdf5File::attribute(const std::string& object, const Fact& fact) {
  const Hid space(H5Screate(H5S_SCALAR), H5Sclose), text(hdf5_string_type(), H5Tclose);
  const auto write = [&](hid_t type, const void* data) {
    const Hid attribute(H5Acreate_by_name(file_, object.c_str(), fact.name.c_str(), type, space, H5P_DEFAULT,
                                          H5P_DEFAULT, H5P_DEFAULT),
                        H5Aclose);
    check(attribute >= 0 && H5Awrite(attribute, type, data) >= 0, name_, object + "@" + fact.name);
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
  std::vector<hsize_t> dims{rows}, start{0};
  std::size_t row_size = 1;
  for (const std::size_t size : shape) {
    dims.push_back(size);
    start.push_back(0);
    row_size *= size;
  }
  const auto rank = static_cast<int>(dims.size());
  const Hid space(H5Screate_simple(rank, dims.data(), nullptr), H5Sclose),
      creation(timeless_dataset(), H5Pclose);
  const Hid set(H5Dcreate2(file_, path.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                H5Dclose);
  check(set >= 0, name_, path);
  if (row_size == 0) return;
  const std::size_t block = std::max<std::size_t>(1, (1 << 17) / row_size);
  std::vector<double> buffer(std::min(block, rows) * row_size);
  for (std::size_t begin = 0; begin < rows; begin += block) {
    const std::size_t count = std::min(block, rows - begin);
    for (std::size_t i = 0; i < count; ++i)
      fill(begin + i, std::span(buffer).subspan(i * row_size, row_size));
    start[0] = begin;
    dims[0] = count;
    const Hid memory(H5Screate_simple(rank, dims.data(), nullptr), H5Sclose);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, dims.data(), nullptr) >= 0 &&
              H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, buffer.data()) >= 0,
          name_, path);
  }
}

std::string Hdf5File::image() const {
  check(H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0, name_, "flush");
  const auto size = H5Fget_file_image(file_, nullptr, 0);
  check(size > 0, name_, "image");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  check(H5Fget_file_image(file_, bytes.data(), bytes.size()) == size, name_, "image");
  return bytes;
}

}  // namespace torsor
