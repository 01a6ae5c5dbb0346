#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <system_error>

#include "output_file.hpp"

namespace torsor::io {
namespace fs = std::filesystem;
namespace {

bool has_mark(const fs::path& path, std::uintmax_t size, const std::string& mark) {
  if (mark.empty()) return false;
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) throw system_error("read", path);
  const auto holds = [&](std::uintmax_t begin, std::uintmax_t count) {
    std::string bytes(static_cast<std::size_t>(count), '\0');
    file.seekg(static_cast<std::streamoff>(begin));
    return file.read(bytes.data(), static_cast<std::streamsize>(count)) &&
           bytes.find(mark) != std::string::npos;
  };
  if (mark.front() == '\n') {  // on the second line of a table, after the names of the columns
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    return file && holds(static_cast<std::uintmax_t>(file.tellg()) - 1, mark.size());
  }
  constexpr std::uintmax_t head = 1 << 16, tail = 256;
  return holds(0, std::min(head, size)) || holds(size - std::min(tail, size), std::min(tail, size));
}

}  // namespace

void check_overwrite(const fs::path& path, const Overwrite& overwrite) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) return;  // creating the file reports a folder that cannot be entered
  if (!fs::is_regular_file(status))
    throw IoError(fmt::format("cannot write {}: it is not a regular file", path.string()));
  for (const fs::path& input : overwrite.inputs)
    if (fs::equivalent(path, input, failure))
      throw IoError(fmt::format("cannot write {}: it is the input; name another output", path.string()));
  if (overwrite.force) return;
  const std::uintmax_t size = fs::file_size(path, failure);
  if (failure || size == 0 || has_mark(path, size, overwrite.mark)) return;
  throw IoError(fmt::format("cannot write {}: a file of another kind has this name; --force replaces it",
                            path.string()));
}

}  // namespace torsor::io
