#include <fmt/format.h>

#include <span>

#include "hdf5_content.hpp"
#include "hdf5_driver.hpp"
#include "hdf5_hid.hpp"

namespace torsor::io {
namespace {

constexpr std::size_t most_numbers = std::size_t(1) << 30, most_texts = std::size_t(1) << 22;
constexpr int most_depth = 8, most_rank = 8;

[[noreturn]] void fail(const std::string& why) { throw ResultError(why); }
[[noreturn]] void damaged(const std::string& path, const char* how = "") {
  fail(fmt::format("is damaged at {}{}", path, how));
}

/// Writes numbers and texts one after the other, each text after its length.
class Sender {
 public:
  explicit Sender(const ByteSink& out) : out_(out) {}
  void tag(char value) const { out_(&value, 1); }
  template <class Number>
  void number(Number value) const {
    out_(&value, sizeof value);
  }
  void text(std::string_view value) const {
    number(static_cast<std::uint64_t>(value.size()));
    out_(value.data(), value.size());
  }
  void numbers(std::span<const double> values) const { out_(values.data(), values.size_bytes()); }

 private:
  const ByteSink& out_;
};

bool is_text(hid_t type) { return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0; }

/// Texts of a dataset or an attribute. `read` fills a list of pointers to texts that HDF5 allocates.
template <class Read>
std::vector<std::string> read_texts(hid_t space, const std::string& path, const Read& read) {
  const auto count = H5Sget_simple_extent_npoints(space);
  if (count < 0 || static_cast<std::size_t>(count) > most_texts) damaged(path);
  std::vector<char*> pointers(static_cast<std::size_t>(count), nullptr);
  const Hid type(hdf5_string_type(), H5Tclose);
  if (count > 0 && read(type, pointers.data()) < 0) damaged(path);
  std::vector<std::string> values;
  values.reserve(pointers.size());
  for (const char* pointer : pointers) values.emplace_back(pointer ? pointer : "");
  if (count > 0) H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  return values;
}

void send_fact(hid_t file, const std::string& name, const Sender& out) {
  const Hid attribute(H5Aopen(file, name.c_str(), H5P_DEFAULT), H5Aclose);
  const Hid space(H5Aget_space(attribute), H5Sclose), type(H5Aget_type(attribute), H5Tclose);
  const std::string path = "@" + name;
  if (attribute < 0 || space < 0 || H5Sget_simple_extent_npoints(space) != 1) damaged(path);
  const auto head = [&](char kind) { out.tag('a'), out.text(name), out.tag(kind); };
  if (H5Tget_class(type) == H5T_INTEGER) {
    long value = 0;
    if (H5Aread(attribute, H5T_NATIVE_LONG, &value) < 0) damaged(path);
    head('i'), out.number(value);
  } else if (H5Tget_class(type) == H5T_FLOAT) {
    double value = 0;
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) damaged(path);
    head('d'), out.number(value);
  } else if (is_text(type)) {
    const auto texts =
        read_texts(space, path, [&](hid_t as, char** pointers) { return H5Aread(attribute, as, pointers); });
    head('t'), out.text(texts.front());
  }
}

std::vector<std::string> attribute_names(hid_t file) {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5A_info_t*, void* all) {
    static_cast<std::vector<std::string>*>(all)->emplace_back(name);
    return herr_t(0);
  };
  hsize_t at = 0;
  if (H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_NATIVE, &at, take, &names) < 0) damaged("/");
  return names;
}

std::vector<double> read_numbers(hid_t set, std::size_t size, const std::string& path) {
  // A file may claim more numbers than it holds, or refer to numbers in other files.
  const Hid creation(H5Dget_create_plist(set), H5Pclose);
  const auto layout = H5Pget_layout(creation);
  const bool own = (layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED || layout == H5D_COMPACT) &&
                   H5Pget_external_count(creation) == 0;
  if (!own || H5Dget_storage_size(set) < size * sizeof(double)) damaged(path, ": not all numbers are there");
  std::vector<double> values(size);
  if (size > 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    damaged(path);
  return values;
}

void send_set(hid_t set, const std::string& path, const Sender& out) {
  const Hid space(H5Dget_space(set), H5Sclose), type(H5Dget_type(set), H5Tclose);
  const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  if (rank < 0 || rank > most_rank) damaged(path);
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  std::size_t size = 1;
  for (const hsize_t n : shape) {
    if (n > 0 && size > most_numbers / n) fail(fmt::format("is too large at {}", path));
    size *= n;
  }
  const auto head = [&](char kind) {
    out.tag('s'), out.text(path), out.tag(kind), out.number(static_cast<std::uint64_t>(rank));
    for (const hsize_t n : shape) out.number(static_cast<std::uint64_t>(n));
  };
  if (is_text(type)) {
    const auto texts = read_texts(space, path, [&](hid_t as, char** pointers) {
      const Hid transfer(hdf5_string_transfer(), H5Pclose);
      return H5Dread(set, as, H5S_ALL, H5S_ALL, transfer, pointers);
    });
    head('t');
    for (const std::string& text : texts) out.text(text);
  } else if (H5Tget_class(type) == H5T_FLOAT) {
    const std::vector<double> values = read_numbers(set, size, path);
    head('d'), out.numbers(values);
  }
}

/// The names of the hard links in a group. Soft and external links are not followed.
std::vector<std::string> names_in(hid_t group, const std::string& path) {
  std::vector<std::string> names;
  const auto take = [](hid_t, const char* name, const H5L_info_t* link, void* all) {
    if (link->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(all)->emplace_back(name);
    return herr_t(0);
  };
  hsize_t at = 0;
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, take, &names) < 0) damaged(path);
  return names;
}

void send_group(hid_t group, const std::string& path, int depth, const Sender& out) {
  if (depth > most_depth) damaged(path, ": groups are nested too deep");
  for (const std::string& name : names_in(group, path.empty() ? "/" : path)) {
    const std::string inner = path + "/" + name;
    const Hid object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
    if (object < 0) damaged(inner);
    if (H5Iget_type(object) == H5I_GROUP) send_group(object, inner, depth + 1, out);
    if (H5Iget_type(object) == H5I_DATASET) send_set(object, inner, out);
  }
}

}  // namespace

void send_content(int file, const ByteSink& sink) {
  const Sender out(sink);
  try {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are sent, not printed
    int failure = 0;
    const Hid access(hdf5_access(file, failure), H5Pclose);
    const Hid opened(H5Fopen("result", H5F_ACC_RDONLY, access), H5Fclose);
    if (opened < 0) fail("cannot be opened: " + hdf5_reason());
    for (const std::string& name : attribute_names(opened)) send_fact(opened, name, out);
    const Hid root(H5Gopen2(opened, "/", H5P_DEFAULT), H5Gclose);
    send_group(root, "", 0, out);
    out.tag('e');
  } catch (const ResultError& error) {
    out.tag('x'), out.text(error.what());
  } catch (const std::bad_alloc&) {
    out.tag('x'), out.text("is damaged, or needs more memory than there is");
  }
}

}  // namespace torsor::io
