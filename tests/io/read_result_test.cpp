#include <doctest/doctest.h>
#include <hdf5.h>

#include <fstream>
#include <functional>
#include <iterator>

#include "io/results/digest.hpp"
#include "io/tables/columns.hpp"
#include "sample_result.hpp"
#include "support/contains.hpp"
#include "torsor/io/results.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::test {
namespace {

/// A scene with a top on a pivot, a bead on a rod, and a point.
constexpr const char* text = R"(
title = "Two bodies"
[run]
end = 0.1
output = 0.01
[integrator]
method = "rkmk4"
step = 0.01
constraints = "index-1"
[[body]]
name = "top"
mass = 2
inertia = [1, 2, 2.5]
angular_velocity_body = [1, 2, 3]
[[particle]]
name = "bead"
mass = 1
position = [0, 1, 0]
[[joint]]
name = "pivot"
kind = "spherical"
child = "top"
child_frame.position = [0, 0, 1]
[[constraint]]
name = "rod"
kind = "distance"
from = {body = "ground"}
to = {body = "bead"}
length = 1
[[point]]
name = "tip"
body = "top"
position = [0, 0, -1]
[[force]]
name = "weight"
kind = "gravity"
)";

struct Written {
  scene::Scene scene;
  Trajectory trajectory;
  TemporaryFolder folder;
  std::filesystem::path path;
  Written() : scene(scene::parse_scene(text, "two_bodies.toml")), path(folder.path / "two_bodies.h5") {
    const scene::ReadyModel ready = make_model(scene);
    trajectory = run(ready.model, ready.start, scene.run, scene.points, scene.events);
    trajectory.summary.message = "a message";
    io::write_hdf5(path, scene, trajectory);
  }
};

/// Changes a file as a user of the HDF5 library could.
void change(const std::filesystem::path& path, const std::function<void(hid_t)>& how) {
  constexpr const char* kind = "torsor/result/1";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - io::digest_mark(kind).size() - 34);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  REQUIRE(file >= 0);
  how(file);
  H5Fclose(file);
  std::ifstream changed(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(changed), {}};
  std::ofstream(path, std::ios::binary | std::ios::app)
      << '\n'
      << io::digest_mark(kind) << io::content_hash(bytes) << '\n';
}

TEST_CASE("a result reads back bit for bit") {
  const Written written;
  for (const auto& path : {written.path, written.folder.path}) {
    const io::StoredResult result = io::read_result(path);
    CHECK(result.scene.name == "two_bodies");
    CHECK(result.scene.title == "Two bodies");
    CHECK(result.text("method") == "rkmk4");
    CHECK(result.text("step") == "0.01");
    CHECK(result.text("status") == "reached-end");
    CHECK(result.text("message") == "a message");
    CHECK(result.fact("nothing") == nullptr);
    const auto& trajectory = result.trajectory;
    CHECK(trajectory.summary.accepted == written.trajectory.summary.accepted);
    CHECK(trajectory.energy_max_drift == written.trajectory.energy_max_drift);
    REQUIRE(trajectory.samples.size() == written.trajectory.samples.size());
    CHECK(io::column_names(result.scene, trajectory.samples.front()) ==
          io::column_names(written.scene, written.trajectory.samples.front()));
    std::vector<double> read, made;
    for (std::size_t i = 0; i < trajectory.samples.size(); ++i) {
      io::column_values(result.scene, trajectory.samples[i], read);
      io::column_values(written.scene, written.trajectory.samples[i], made);
      CHECK(read == made);
    }
  }
}

TEST_CASE("a result that was read and written again keeps notes and the names of shared reactions") {
  Written written;
  written.scene.notes = {"a note; of two parts", "another note"};
  written.trajectory.summary.note = "a note of the run";
  written.trajectory.samples[2].joints[0].unique = false;
  const auto first = written.folder.path / "first.h5", second = written.folder.path / "second.h5";
  io::write_hdf5(first, written.scene, written.trajectory);
  const io::StoredResult read = io::read_result(first);
  CHECK(read.scene.notes ==
        std::vector<std::string>{"a note of the run; a note; of two parts; another note"});
  CHECK_FALSE(read.trajectory.samples.back().joints[0].unique);
  CHECK(read.trajectory.samples.back().constraints[0].unique);
  io::write_hdf5(second, read.scene, read.trajectory);
  const io::StoredResult again = io::read_result(second);
  CHECK(again.text("notes") == read.text("notes"));
  CHECK(again.text("shared_reactions") == "pivot");
  CHECK(io::read_result(written.path).scene.notes.empty());
}

TEST_CASE("a result that was read has the status and the events of its run, also when it is written again") {
  const Written written;
  scene::Scene scene = scene::parse_scene(std::string(text) +
                                              "[[event]]\nname = \"falls\"\nquantity = \"expression\"\n"
                                              "expression = \"t - 0.05\"\n",
                                          "falls.toml");
  Trajectory trajectory = written.trajectory;
  trajectory.summary.events.push_back({0, 0.05, {}});
  const auto path = written.folder.path / "falls.h5";
  for (const StepStatus status :
       {StepStatus::reached_end, StepStatus::non_finite, StepStatus::connection_lost}) {
    CAPTURE(to_string(status));
    trajectory.summary.status = status;
    io::write_hdf5(path, scene, trajectory);
    for (int again = 0; again < 2; ++again) {
      const io::StoredResult read = io::read_result(path);
      CHECK(read.trajectory.summary.status == status);
      REQUIRE(read.events.size() == 1);
      CHECK(read.events[0].name == "falls");
      REQUIRE(read.trajectory.summary.events.size() == 1);
      CHECK(read.trajectory.summary.events[0].event == 0);
      CHECK(read.trajectory.summary.events[0].t == 0.05);
      io::write_hdf5(path, read.scene, read.trajectory);
    }
  }
}

TEST_CASE("a result with a status that this version does not have is refused") {
  const Written written;
  change(written.path, [](hid_t file) {
    H5Adelete(file, "status");
    H5Arename(file, "method", "status");
  });
  CHECK(refusal(written.path) == written.path.string() + " has the unknown status \"rkmk4\"");
}

TEST_CASE(
    "the result of a scene that was made in code is refused, because the file does not hold the scene") {
  Written written;
  written.scene.resolved.clear();
  const auto path = written.folder.path / "in_code.h5";
  io::write_hdf5(path, written.scene, written.trajectory);
  CHECK(refusal(path) == path.string() + " does not hold its scene, which was made in code and had no text");
}

TEST_CASE("the treatment of constraints is read, also from a file that names it constraints") {
  const Written written;
  CHECK(io::read_result(written.path).text("treatment") == "index-1");
  change(written.path, [](hid_t file) { H5Arename(file, "treatment", "constraints"); });
  CHECK(io::read_result(written.path).text("treatment") == "index-1");
}

TEST_CASE("files that are not results are refused with the reason") {
  const TemporaryFolder folder;
  const auto path = folder.path / "thing.h5";
  CHECK(refusal(path) == "no such file or folder: " + path.string());
  CHECK(refusal(folder.path) == folder.path.string() + " holds no result: no .h5 file");
  std::ofstream(path) << "some text";
  CHECK(refusal(path) == path.string() + " is not an HDF5 file");
  const auto scene = folder.path / "scene.toml";
  std::ofstream(scene) << "[run]\n";
  CHECK(refusal(scene) == scene.string() + " is not an HDF5 file; run the scene by `torsor run` first");
  std::filesystem::create_directory(folder.path / "batch");
  std::ofstream(folder.path / "batch/ledger.sqlite") << "x";
  CHECK(contains(refusal(folder.path / "batch"), "holds a batch, not the result of a run"));
  H5Fclose(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  CHECK(refusal(path).starts_with(path.string() + " ends without the digest of Torsor"));
  std::ofstream(folder.path / "other.h5") << "x";
  CHECK(refusal(folder.path) == folder.path.string() + " holds several results; name one of them");
}

TEST_CASE("a damaged result is refused with the position of the damage") {
  const Written written;
  SUBCASE("a dataset is missing") {
    change(written.path, [](hid_t file) { H5Ldelete(file, "/bodies/position", H5P_DEFAULT); });
    CHECK(refusal(written.path) ==
          written.path.string() + " is not a result of torsor run: it has no /bodies/position");
  }
  SUBCASE("a dataset has another shape") {
    change(written.path, [](hid_t file) {
      H5Ldelete(file, "/bodies/position", H5P_DEFAULT);
      H5Lmove(file, "/points/position", file, "/bodies/position", H5P_DEFAULT, H5P_DEFAULT);
    });
    CHECK(refusal(written.path) ==
          written.path.string() + " is damaged at /bodies/position: shape 11 x 1 x 3, expected 11 x 2 x 3");
  }
  SUBCASE("the names differ from those of the scene") {
    change(written.path, [](hid_t file) {
      H5Ldelete(file, "/bodies/names", H5P_DEFAULT);
      H5Lmove(file, "/points/names", file, "/bodies/names", H5P_DEFAULT, H5P_DEFAULT);
    });
    CHECK(refusal(written.path) ==
          written.path.string() + " is damaged at /bodies/names: names differ from the scene");
  }
  SUBCASE("the scene is not valid") {
    change(written.path, [](hid_t file) {
      H5Ldelete(file, "/scene", H5P_DEFAULT);
      H5Lmove(file, "/points/names", file, "/scene", H5P_DEFAULT, H5P_DEFAULT);
    });
    CHECK(refusal(written.path)
              .starts_with(written.path.string() +
                           " holds a scene whose text cannot be read: two_bodies.toml:1:"));
  }
  SUBCASE("times decrease") {
    change(written.path, [](hid_t file) {
      const hid_t set = H5Dopen2(file, "/time", H5P_DEFAULT);
      const std::vector<double> times = {0, .1, .2, .3, .4, .3, .5, .6, .7, .8, .9};
      H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times.data());
      H5Dclose(set);
    });
    CHECK(refusal(written.path) == written.path.string() + " is damaged at /time: times must not decrease");
  }
  SUBCASE("a dataset has fewer numbers than its size") {
    change(written.path, [](hid_t file) {
      H5Ldelete(file, "/time", H5P_DEFAULT);
      const hsize_t size = hsize_t(1) << 28;
      const hid_t space = H5Screate_simple(1, &size, nullptr);
      H5Dclose(H5Dcreate2(file, "/time", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      H5Sclose(space);
    });
    CHECK(refusal(written.path) == written.path.string() + " is damaged at /time: not all numbers are there");
  }
}

TEST_CASE("curves are found by column names, and the drift is the change of energy minus work") {
  const Written written;
  const io::StoredResult result = io::read_result(written.path);
  const auto found = curves(result, {"body.top.z", "drift", "point.*.v_*", "body.top.z"});
  std::vector<std::string> names;
  for (const io::Series& one : found) names.push_back(one.name + " " + one.unit);
  CHECK(names == std::vector<std::string>{"body.top.z m", "drift J", "point.tip.v_x m/s", "point.tip.v_y m/s",
                                          "point.tip.v_z m/s"});
  const auto& samples = written.trajectory.samples;
  const auto balance = [](const Sample& at) { return at.invariants.energy() - at.invariants.work; };
  for (std::size_t i = 0; i < samples.size(); ++i) {
    CHECK(found[0].values[i] == samples[i].bodies[0].x.z());
    CHECK(found[1].values[i] == balance(samples[i]) - balance(samples[0]));
    CHECK(found[2].values[i] == samples[i].points[0].v.x());
    CHECK(sample_times(result)[i] == samples[i].t);
  }
  CHECK_THROWS_WITH_AS(curves(result, {"body.tip.z"}),
                       "no column \"body.tip.z\"; did you mean \"body.top.z\"?", io::ResultError);
  CHECK_THROWS_WITH_AS(curves(result, {"spin*"}), "no column \"spin*\"", io::ResultError);
}

}  // namespace
}  // namespace torsor::test
