// Writes small results as initial inputs of the fuzzer to the named folder: the data that the reading
// process sends, and the files without their digests.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/results/digest.hpp"
#include "io/results/hdf5_content.hpp"
#include "small_scenes.hpp"
#include "torsor/io/results.hpp"

namespace {

namespace fs = std::filesystem;
using namespace torsor;

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

void make(const fs::path& folder, const std::string& name, const std::string& text) {
  const scene::Scene scene = scene::parse_scene(text, name + ".toml");
  const fs::path whole = folder / (name + ".h5");
  io::write_hdf5(whole, scene, run(scene, prepare(scene), scene.run));
  std::string sent;
  const int file = ::open(whole.c_str(), O_RDONLY);
  io::send_content(file, [&](const void* bytes, std::size_t count) {
    sent.append(static_cast<const char*>(bytes), count);
  });
  ::close(file);
  write(folder / "result" / name, sent);
  constexpr std::size_t digest = 34;  // digits and line breaks
  fs::resize_file(whole, fs::file_size(whole) - digest - io::digest_mark("torsor/result/1").size());
  fs::create_directories(folder / "result_file");
  fs::rename(whole, folder / "result_file" / name);
}

}  // namespace

int main(int, char** arguments) {
  fs::create_directories(arguments[1]);
  for (const fuzz::SmallScene& scene : fuzz::small_scenes) make(arguments[1], scene.name, scene.text());
}
