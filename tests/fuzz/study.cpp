// Any text is a study of the scene beside it, of which every case has its values, or a SceneError.
#include "torsor/batch/study.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "model.hpp"

namespace {

/// A folder in memory where there is one, with a scene for the studies.
const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    namespace fs = std::filesystem;
    const fs::path parent = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    const fs::path place = parent / ("torsor_fuzz_" + std::to_string(::getpid()));
    fs::create_directories(place);
    std::ofstream(place / "top.toml")
        << "[run]\nend = 1\n[integrator]\nmethod = \"rkmk4\"\nstep = 1e-3\n[[body]]\nname = \"top\"\nmass = "
           "15\n"
           "inertia = [0.2, 0.4, 0.2]\nangular_velocity_body = [0, 150, -4]\n"
           "[[joint]]\nname = \"pivot\"\nkind = \"spherical\"\nchild = \"top\"\n";
    std::atexit([] { fs::remove_all(folder()); });
    return place;
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torsor;
  static const std::string path = (folder() / "study.toml").string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const Study study = load_study(path);
    for (const long index : {0L, study.cases() / 2, study.cases() - 1})
      if (index >= 0 && study.values(index).size() != study.parameters.size()) std::abort();
  } catch (const SceneError& error) {
    fuzz::check(error);
  }
  return 0;
}
