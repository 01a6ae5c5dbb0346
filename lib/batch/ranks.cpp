#include "torsor/batch/ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace torsor {
namespace {

/// Whether an `mpirun`, of any make, started this process.
bool started_as_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

/// Beside this program in the build, in the folder of libraries where it is installed, else wherever the
/// loader looks. Global: MPI loads parts of its own, which look for its symbols.
void* load_module() {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const std::filesystem::path& folder : {here / TORSOR_MODULES_FROM_COMMAND, here})
    if (const auto file = folder / TORSOR_MPI_MODULE; std::filesystem::exists(file))
      return ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  return ::dlopen(TORSOR_MPI_MODULE, RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

std::unique_ptr<Ranks> mpi_ranks() {
  if (!started_as_rank()) return nullptr;
  void* const module = load_module();
  void* const make = module == nullptr ? nullptr : ::dlsym(module, "torsor_make_mpi_ranks");
  if (make == nullptr)
    throw std::runtime_error(fmt::format("started by mpirun, but without its component for MPI, {}: {}",
                                         TORSOR_MPI_MODULE, ::dlerror()));
  return std::unique_ptr<Ranks>(reinterpret_cast<Ranks* (*)()>(make)());
}

}  // namespace torsor
