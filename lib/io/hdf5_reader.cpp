#include "hdf5_reader.hpp"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <numeric>

#include "hdf5_hid.hpp"
#include "partial_file.hpp"

namespace torsor {
namespace {

constexpr std::size_t most_numbers = std::size_t(1) << 30, most_texts = std::size_t(1) << 22;

/// Texts of a dataset or an attribute, read by `read` into pointers that HDF5 allocates.
template <class Read>
std::optional<std::vector<std::string>> read_texts(hid_t space, const Read& read) {
  const auto count = H5Sget_simple_extent_npoints(space);
  if (count < 0 || static_cast<std::size_t>(count) > most_texts) return std::nullopt;
  std::vector<char*> pointers(static_cast<std::size_t>(count), nullptr);
  const Hid type(hdf5_string_type(), H5Tclose);
  if (count > 0 && read(type, pointers.data()) < 0) return std::nullopt;
  std::vector<std::string> values;
  for (const char* pointer : pointers) values.emplace_back(pointer ? pointer : "");
  if (count > 0) H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  return values;
}

bool is_text(hid_t type) { return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0; }

std::optional<Fact> read_fact(hid_t file, const std::string& name) {
  const Hid attribute(H5Aopen(file, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Hid space(H5Aget_space(attribute), H5Sclose), type(H5Aget_type(attribute), H5Tclose);
  if (attribute < 0 || space < 0 || H5Sget_simple_extent_npoints(space) != 1) return std::nullopt;
  if (H5Tget_class(type) == H5T_INTEGER) {
    long value = 0;
    if (H5Aread(attribute, H5T_NATIVE_LONG, &value) < 0) return std::nullopt;
    return Fact{name, value};
  }
  if (H5Tget_class(type) == H5T_FLOAT) {
    double value = 0;
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) return std::nullopt;
    return Fact{name, value};
  }
  if (!is_text(type)) return std::nullopt;
  auto texts = read_texts(space, [&](hid_t as, char** pointers) { return H5Aread(attribute, as, pointers); });
  return texts ? std::optional(Fact{name, texts->front()}) : std::nullopt;
}

}  // namespace

Hdf5Reader::Hdf5Reader(const std::filesystem::path& path) : name_(path.string()) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are thrown, not printed
  if (!std::ifstream(path)) throw system_error("read", path);
  if (H5Fis_hdf5(name_.c_str()) <= 0) fail("is no HDF5 file");
  file_ = H5Fopen(name_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file_ < 0) fail("cannot be opened: " + hdf5_reason());
}

Hdf5Reader::~Hdf5Reader() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5Reader::fail(const std::string& why) const { throw ResultError(fmt::format("{} {}", name_, why)); }

bool Hdf5Reader::has(const std::string& path) const {
  for (std::size_t end = 1; end != std::string::npos; ++end) {  // HDF5 asks for each part on the way
    end = path.find('/', end);
    if (H5Lexists(file_, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
  return true;
}

std::vector<hsize_t> Hdf5Reader::shape(const std::string& path) const {
  if (!has(path)) fail(fmt::format("is no result of torsor run: it has no {}", path));
  const Hid set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Hid space(set < 0 ? H5I_INVALID_HID : H5Dget_space(set), H5Sclose);
  const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > 8) fail(fmt::format("is damaged at {}", path));
  std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  return dims;
}

std::vector<std::string> Hdf5Reader::strings(const std::string& path) const {
  shape(path);
  const Hid set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose), space(H5Dget_space(set), H5Sclose),
      type(H5Dget_type(set), H5Tclose);
  if (!is_text(type)) fail(fmt::format("is damaged at {}: no texts", path));
  auto texts = read_texts(space, [&](hid_t as, char** pointers) {
    return H5Dread(set, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers);
  });
  if (!texts) fail(fmt::format("is damaged at {}", path));
  return *texts;
}

std::string Hdf5Reader::text(const std::string& path) const {
  const auto all = strings(path);
  if (all.size() != 1) fail(fmt::format("is damaged at {}: not one text", path));
  return all.front();
}

std::vector<double> Hdf5Reader::array(const std::string& path, const std::vector<std::size_t>& wanted) const {
  const std::vector<hsize_t> found = shape(path);
  if (!std::equal(found.begin(), found.end(), wanted.begin(), wanted.end()))
    fail(fmt::format("is damaged at {}: shape {}, where {} is due", path, fmt::join(found, " x "),
                     fmt::join(wanted, " x ")));
  std::size_t size = 1;
  for (const std::size_t n : wanted) {
    if (n > 0 && size > most_numbers / n) fail(fmt::format("is too large at {}", path));
    size *= n;
  }
  const Hid set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  // A file may claim more numbers than it holds.
  const Hid creation(H5Dget_create_plist(set), H5Pclose);
  const bool plain = H5Pget_layout(creation) == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0;
  if (!plain || H5Dget_storage_size(set) < size * sizeof(double))
    fail(fmt::format("is damaged at {}: not all numbers are there", path));
  std::vector<double> values(size);
  if (size > 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(fmt::format("is damaged at {}", path));
  return values;
}

std::size_t Hdf5Reader::rows(const std::string& path) const {
  const auto dims = shape(path);
  if (dims.empty()) fail(fmt::format("is damaged at {}: no list", path));
  return dims.front();
}

std::vector<Fact> Hdf5Reader::facts() const {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5A_info_t*, void* out) {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return herr_t(0);
  };
  hsize_t at = 0;
  H5Aiterate2(file_, H5_INDEX_NAME, H5_ITER_NATIVE, &at, take, &names);
  std::vector<Fact> all;
  for (const std::string& name : names)
    if (auto fact = read_fact(file_, name)) all.push_back(std::move(*fact));
  return all;
}

}  // namespace torsor
