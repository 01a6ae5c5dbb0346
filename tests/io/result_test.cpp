#include "io/result.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>

#include "io/provenance.hpp"
#include "io/result_plan.hpp"
#include "sample_result.hpp"

namespace {

/// The place where a child process of a test dies: before or after its first call of `rename`.
enum class DieAt { nowhere, before_rename, after_rename } die_at = DieAt::nowhere;

}  // namespace

/// Takes the place of the function of the C library.
extern "C" int rename(const char* from, const char* to) noexcept {
  if (die_at == DieAt::before_rename) ::_exit(0);
  const int result = ::renameat(AT_FDCWD, from, AT_FDCWD, to);
  if (die_at == DieAt::after_rename) ::_exit(0);
  return result;
}

namespace torsor::test {
namespace {

namespace fs = std::filesystem;

/// While an object of this class exists, no file of this process can grow beyond `bytes`, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  void (*handler_)(int);
};

const std::vector<io::ResultFormat> both = {io::ResultFormat::h5, io::ResultFormat::csv};

TEST_CASE("a result folder holds exactly the requested files") {
  const TemporaryFolder folder;
  const io::ResultFolder result(folder.path / "results" / "sample");
  const auto files = write_result(result, both, sample_scene(), sample_trajectory());
  CHECK(files == std::vector<fs::path>{result.path() / "sample.h5", result.path() / "sample.csv"});
  CHECK(std::distance(fs::directory_iterator(result.path()), {}) == 2);
}

TEST_CASE("a folder takes one run at a time") {
  const TemporaryFolder folder;
  {
    const io::ResultFolder first(folder.path);
    CHECK_THROWS_WITH_AS(io::ResultFolder(folder.path),
                         (folder.path.string() + " is in use: another run is writing to it").c_str(),
                         io::IoError);
  }
  CHECK_NOTHROW(io::ResultFolder(folder.path));
}

TEST_CASE(
    "a run waits for a reader that asks whether its folder is locked, but not for one that keeps a lock") {
  const TemporaryFolder folder;
  const int reader = ::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(reader, LOCK_SH | LOCK_NB) == 0);
  CHECK_FALSE(io::is_locked(folder.path));
  CHECK_THROWS_AS(io::ResultFolder(folder.path), io::IoError);
  {
    const std::jthread asks([reader] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      ::flock(reader, LOCK_UN);
    });
    CHECK_NOTHROW(io::ResultFolder(folder.path));
  }
  const io::ResultFolder result(folder.path);
  CHECK(io::is_locked(folder.path));
  ::close(reader);
}

TEST_CASE("samples that are added one by one give the same files as a whole run") {
  const TemporaryFolder folder;
  const io::ResultFolder a(folder.path / "a"), b(folder.path / "b");
  for (const int samples : {1, 3, 20'000}) {
    const scene::Scene scene = sample_scene();
    const Trajectory whole = sample_trajectory(samples);
    const auto files = write_result(a, both, scene, whole);
    io::ResultWriter writer(b, both, scene);
    for (const Sample& sample : whole.samples) writer.add(sample);
    Trajectory ends = whole;
    ends.samples = {whole.samples.front(), whole.samples.back()};
    ends.passed.shared_constraints = {0, 1};
    const auto streamed = writer.finish(ends);
    for (std::size_t k = 0; k < 2; ++k) CHECK(content(files[k]) == content(streamed[k]));
  }
}

TEST_CASE("a writer that is destroyed before the end leaves no file") {
  const TemporaryFolder folder;
  const io::ResultFolder result(folder.path);
  {
    const scene::Scene scene = sample_scene();
    io::ResultWriter writer(result, both, scene);
    for (int n = 0; n < 5000; ++n) writer.add(sample_at(n));
  }
  CHECK(folder.empty());
}

TEST_CASE("a full disk is an error at every size, keeps the earlier result and leaves no partial file") {
  const TemporaryFolder folder;
  const io::ResultFolder result(folder.path);
  const auto files = write_result(result, both, sample_scene(), sample_trajectory(40));
  const Trajectory longer = sample_trajectory(60);
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string before = content(files[k]);
    for (rlim_t bytes = 0; bytes < before.size(); bytes += 997) {
      CAPTURE(bytes);
      const FullDisk full(bytes);
      CHECK_THROWS_AS(write_result(result, {both[k]}, sample_scene(), longer), io::IoError);
      CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 2);
    }
    CHECK(content(files[k]) == before);
  }
}

TEST_CASE("if one file of a result does not fit the disk, all files of the earlier result stay") {
  const TemporaryFolder folder;
  const io::ResultFolder result(folder.path);
  const auto files = write_result(result, both, sample_scene(), sample_trajectory(40));
  const std::string first = content(files[0]), second = content(files[1]);
  const std::vector<io::ResultFormat> reversed(std::rbegin(both), std::rend(both));
  const auto limit = static_cast<rlim_t>(std::min(first.size(), second.size()) + 1000);
  for (const auto& formats : {both, reversed}) {
    const FullDisk full(limit);
    CHECK_THROWS_AS(write_result(result, formats, sample_scene(), sample_trajectory(41)), io::IoError);
    CHECK(content(files[0]) == first);
    CHECK(content(files[1]) == second);
  }
}

TEST_CASE("a process that dies while it replaces a result leaves files of one run only") {
  for (const DieAt place : {DieAt::before_rename, DieAt::after_rename}) {
    const TemporaryFolder folder;
    const io::ResultFolder result(folder.path);
    const auto files = write_result(result, both, sample_scene(), sample_trajectory(3));
    const std::string earlier = content(files[0]);
    const pid_t child = ::fork();
    if (child == 0) {
      die_at = place;
      write_result(result, both, sample_scene(), sample_trajectory(40));
      ::_exit(1);  // not reached
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    CHECK((content(files[0]) == earlier) == (place == DieAt::before_rename));
    CHECK(!fs::exists(files[1]));
  }
}

TEST_CASE("the planned size of a result is close to its actual size, and the free space is found") {
  const scene::Scene scene = scene::parse_scene(
      "[run]\nend = 1\noutput = 1e-4\n[integrator]\nmethod = \"rkmk4\"\nstep = 1e-3\n"
      "[[body]]\nname = \"top\"\nmass = 1\ninertia = [1, 2, 2]\nangular_velocity_body = [1, 2, 3]\n",
      "top.toml");
  const scene::ReadyModel ready = make_model(scene);
  const Trajectory trajectory = run(ready.model, ready.start, scene.run, scene.points);
  const TemporaryFolder folder;
  const io::ResultFolder result(folder.path);
  for (const io::ResultFormat format : both) {
    const auto files = write_result(result, {format}, scene, trajectory);
    const double told = io::planned_bytes(scene, {format}),
                 taken = static_cast<double>(fs::file_size(files[0]));
    CHECK(told > 0.7 * taken);
    CHECK(told < 3 * taken);
  }
  const double free = static_cast<double>(fs::space(folder.path).available);
  CHECK(io::free_bytes(folder.path / "not" / "there") == doctest::Approx(free).epsilon(0.1));
}

TEST_CASE(
    "the planned number of outputs is that of the run, whether its end is on the grid of outputs or not") {
  for (const double output : {1e-3, 0.03, 0.1, 0.3, 1.1, 2.})
    for (const double begin : {0., -0.7, 1000.}) {
      CAPTURE(output);
      CAPTURE(begin);
      const scene::Scene scene = scene::parse_scene(
          fmt::format(
              "[run]\nbegin = {}\nend = {}\noutput = {}\n[integrator]\nmethod = \"rkmk4\"\nstep = 0.05\n"
              "[[body]]\nname = \"top\"\nmass = 1\ninertia = [1, 2, 2]\n",
              begin, begin + 1.1, output),
          "top.toml");
      const scene::ReadyModel ready = make_model(scene);
      const Trajectory trajectory = run(ready.model, ready.start, scene.run, scene.points);
      CHECK(io::planned_outputs(scene.run) == static_cast<double>(trajectory.samples.size()));
    }
}

TEST_CASE("a folder that cannot be made is an error") {
  const TemporaryFolder folder;
  std::ofstream(folder.path / "file") << "text";
  CHECK_THROWS_AS(io::ResultFolder(folder.path / "file"), io::IoError);
  CHECK_THROWS_AS(io::ResultFolder(folder.path / "file" / "below"), io::IoError);
}

TEST_CASE("repeated runs give the same bytes") {
  const TemporaryFolder folder;
  const io::ResultFolder a(folder.path / "a"), b(folder.path / "b");
  write_result(a, both, sample_scene(), sample_trajectory());
  write_result(b, both, sample_scene(), sample_trajectory());
  CHECK(content(a.path() / "sample.h5") == content(b.path() / "sample.h5"));
  CHECK(content(a.path() / "sample.csv") == content(b.path() / "sample.csv"));
}

TEST_CASE("a scene name cannot lead a file out of its folder") {
  CHECK(io::file_label("heavy_top-2.5") == "heavy_top-2.5");
  CHECK(io::file_label("..") == "_.");
  CHECK(io::file_label("../etc/passwd") == "_._etc_passwd");
  CHECK(io::file_label("a b\n") == "a_b_");
  CHECK(io::file_label("") == "_");
  CHECK(io::file_label(std::string(5000, 'x')).size() == 200);
  CHECK(io::file_label("模型一") == "模型一");
  CHECK(io::file_label("\xff\xc3") == "__");
  CHECK(io::file_label(std::string(199, 'x') + "é") == std::string(199, 'x'));  // no half of a character
}

TEST_CASE("every entry of the provenance has a value, and the compiler flags are listed") {
  for (const auto& [name, value] : io::provenance().entries()) {
    CAPTURE(name);
    CHECK_FALSE(value.empty());
  }
  CHECK(io::provenance().flags.find("-ffp-contract=off") != std::string::npos);
}

}  // namespace
}  // namespace torsor::test
