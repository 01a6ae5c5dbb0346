#include "load_module.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace torsor::io {

void* load_module(const char* file, int flags) {
  std::error_code unknown;  // where /proc is not mounted
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  if (!unknown)
    for (const std::filesystem::path& folder : {here / TORSOR_MODULES_FROM_COMMAND, here})
      if (const auto path = folder / file; std::filesystem::exists(path, unknown))
        return ::dlopen(path.c_str(), flags);
  return ::dlopen(file, flags);
}

}  // namespace torsor::io
