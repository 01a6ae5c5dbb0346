#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace torsor::fuzz {

/// A folder of this process, in memory if possible; it is removed at the end.
inline const std::filesystem::path& folder() {
  static const std::filesystem::path& path = *new std::filesystem::path([] {  // outlives exit handlers
    namespace fs = std::filesystem;
    const fs::path parent = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    const fs::path place = parent / ("torsor_fuzz_" + std::to_string(::getpid()));
    fs::create_directories(place);
    std::atexit([] { fs::remove_all(folder()); });
    return place;
  }());
  return path;
}

}  // namespace torsor::fuzz
