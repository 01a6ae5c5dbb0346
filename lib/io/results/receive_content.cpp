#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>

#include "hdf5_content.hpp"
#include "hdf5_hid.hpp"

namespace torsor::io {
namespace {

/// Thrown if the sender stops before the end of the data.
struct Ended {};

class Receiver {
 public:
  Receiver(const ByteSource& in, std::uint64_t most_bytes) : in_(in), left_(most_bytes) {}

  char tag() const { return number<char>(); }
  template <class Number>
  Number number() const {
    Number value{};
    in_(&value, sizeof value);
    return value;
  }
  std::string text() {
    std::string value(count(1), '\0');
    in_(value.data(), value.size());
    return value;
  }
  std::vector<double> numbers(std::uint64_t size) {
    std::vector<double> values(taken(size, sizeof(double)));
    in_(values.data(), values.size() * sizeof(double));
    return values;
  }
  std::vector<std::string> texts(std::uint64_t size) {
    std::vector<std::string> values(taken(size, sizeof(std::uint64_t)));
    for (std::string& value : values) value = text();
    return values;
  }
  /// Reads the number of items of `size` bytes that follow. Throws if they exceed the remaining limit.
  std::size_t count(std::size_t size) { return taken(number<std::uint64_t>(), size); }

 private:
  std::size_t taken(std::uint64_t count, std::size_t size) {
    if (count > left_ / size)
      throw ResultError("is damaged: it states more data than a file of its size can hold");
    left_ -= count * size;
    return static_cast<std::size_t>(count);
  }
  const ByteSource& in_;
  std::uint64_t left_;
};

Fact receive_fact(Receiver& in) {
  std::string name = in.text();
  switch (in.tag()) {
    case 'i':
      return {std::move(name), in.number<long>()};
    case 'd':
      return {std::move(name), in.number<double>()};
    default:
      return {std::move(name), in.text()};
  }
}

Hdf5Content::Set receive_set(Receiver& in) {
  const bool texts = in.tag() == 't';
  Hdf5Content::Set set;
  set.shape.resize(in.count(sizeof(std::uint64_t)));
  std::uint64_t size = 1;
  for (std::uint64_t& n : set.shape) {
    n = in.number<std::uint64_t>();
    if (__builtin_mul_overflow(size, n, &size))
      throw ResultError("is damaged: it states more data than a file of its size can hold");
  }
  if (texts)
    set.values = in.texts(size);
  else
    set.values = in.numbers(size);
  return set;
}

}  // namespace

Hdf5Content receive_content(const ByteSource& source, std::uint64_t most_bytes) {
  Receiver in(source, most_bytes);
  Hdf5Content content;
  for (;;) switch (in.tag()) {
      case 'a':
        content.facts.push_back(receive_fact(in));
        break;
      case 's': {
        std::string path = in.text();
        content.sets[std::move(path)] = receive_set(in);
        break;
      }
      case 'e':
        return content;
      case 'x':
        throw ResultError(in.text());
      default:
        throw ResultError("is damaged: HDF5 returns invalid data");
    }
}

Hdf5Content read_content(int file, const std::filesystem::path& path) try {
  struct stat about = {};
  ::fstat(file, &about);
  const auto bytes = static_cast<std::uint64_t>(about.st_size);
  // Reading takes about one second per gigabyte. A file may refer to the same text many times, so its
  // contents may be larger than the file.
  const auto cpu_limit_s = static_cast<unsigned>(60 + bytes / 10'000'000);
  const std::uint64_t most_bytes = (64u << 20) + 8 * bytes;
  std::optional<ChildProcess> child;
  {
    const Hdf5Alone alone;
    child.emplace([file](const ByteSink& out) { send_content(file, out); }, cpu_limit_s);
  }
  const ByteSource in = [&child](void* to, std::size_t count) {
    if (!child->read(to, count)) throw Ended();
  };
  try {
    return receive_content(in, most_bytes);
  } catch (const Ended&) {
    throw ResultError(fmt::format("is damaged: HDF5 cannot read it; {}", child->end()));
  }
} catch (const ResultError& error) {
  throw ResultError(fmt::format("{} {}", path.string(), error.what()));
} catch (const std::runtime_error& error) {
  throw IoError(fmt::format("cannot read {}: {}", path.string(), error.what()));
}

}  // namespace torsor::io
