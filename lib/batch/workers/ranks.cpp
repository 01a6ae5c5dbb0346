#include "torsor/batch/ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "io/load_module.hpp"

namespace torsor::batch {
namespace {

/// Whether `mpirun` of Open MPI or of MPICH, or another launcher that sets the same variables, started this
/// process.
bool started_as_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

}  // namespace

std::unique_ptr<Ranks> mpi_ranks() {
  if (!started_as_rank()) return nullptr;
  // RTLD_GLOBAL: MPI loads further libraries, which need its symbols.
  void* const module = io::load_module(TORSOR_MPI_MODULE, RTLD_NOW | RTLD_GLOBAL);
  void* const make = module == nullptr ? nullptr : ::dlsym(module, "torsor_make_mpi_ranks");
  if (make == nullptr)
    throw std::runtime_error(
        fmt::format("mpirun started this program, but its module for MPI, {}, cannot be loaded: {}",
                    TORSOR_MPI_MODULE, ::dlerror()));
  return std::unique_ptr<Ranks>(reinterpret_cast<Ranks* (*)()>(make)());
}

}  // namespace torsor::batch
