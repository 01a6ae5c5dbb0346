// Any text must be either a study of the scene beside it, whose first, middle and last case have
// one value for each parameter, or a SceneError.
#include "torsor/batch/study.hpp"

#include <fstream>

#include "folder.hpp"
#include "model.hpp"

namespace {

/// The path of the study file, which is beside its scene.
const std::string& study_file() {
  static const std::string path = [] {
    std::ofstream(torsor::fuzz::folder() / "top.toml")
        << "[run]\nend = 1\n[integrator]\nmethod = \"rkmk4\"\nstep = 1e-3\n[[body]]\nname = \"top\"\nmass = "
           "15\n"
           "inertia = [0.2, 0.4, 0.2]\nangular_velocity_body = [0, 150, -4]\n"
           "[[joint]]\nname = \"pivot\"\nkind = \"spherical\"\nchild = \"top\"\n";
    return (torsor::fuzz::folder() / "study.toml").string();
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace torsor;
  std::ofstream(study_file(), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const batch::Study study = batch::load_study(study_file());
    for (const long index : {0L, study.cases() / 2, study.cases() - 1})
      if (index >= 0 && study.values(index).size() != study.parameters.size()) std::abort();
  } catch (const scene::SceneError& error) {
    fuzz::check(error);
  }
  return 0;
}
