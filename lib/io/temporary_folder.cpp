#include "temporary_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

#include "output_file.hpp"

namespace torsor::io {

TemporaryFolder::TemporaryFolder(std::string_view use) {
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  if (failure)
    throw IoError(
        fmt::format("cannot use the folder of temporary files, which TMPDIR gives: {}", failure.message()));
  std::string name = (folder / fmt::format("torsor-{}-XXXXXX", use)).string();
  if (::mkdtemp(name.data()) == nullptr) throw system_error("create", name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failure;
  std::filesystem::remove_all(path_, failure);
}

}  // namespace torsor::io
