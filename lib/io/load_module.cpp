#include "load_module.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace torsor::io {

void* load_module(const char* file, int flags) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const std::filesystem::path& folder : {here / TORSOR_MODULES_FROM_COMMAND, here})
    if (const auto path = folder / file; std::filesystem::exists(path)) return ::dlopen(path.c_str(), flags);
  return ::dlopen(file, flags);
}

}  // namespace torsor::io
