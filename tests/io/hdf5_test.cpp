#include <doctest/doctest.h>
#include <hdf5.h>

#include <vector>

#include "sample_result.hpp"
#include "torsor/io/results.hpp"

namespace torsor::test {
namespace {

/// Reads a result as a user of the HDF5 library would.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    REQUIRE(file_ >= 0);
  }
  ~Reader() { H5Fclose(file_); }

  std::vector<hsize_t> shape(const char* path) const {
    const hid_t set = H5Dopen2(file_, path, H5P_DEFAULT), space = H5Dget_space(set);
    std::vector<hsize_t> dims(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, dims.data(), nullptr);
    H5Sclose(space);
    H5Dclose(set);
    return dims;
  }
  std::vector<double> numbers(const char* path) const {
    std::size_t size = 1;
    for (const hsize_t n : shape(path)) size *= n;
    std::vector<double> values(size);
    const hid_t set = H5Dopen2(file_, path, H5P_DEFAULT);
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    H5Dclose(set);
    return values;
  }
  std::vector<std::string> strings(const char* path) const {
    const hid_t set = H5Dopen2(file_, path, H5P_DEFAULT), space = H5Dget_space(set), type = H5Dget_type(set);
    std::vector<char*> texts(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    CHECK(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) >= 0);
    std::vector<std::string> values(texts.begin(), texts.end());
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data());
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return values;
  }
  bool has(const std::string& path) const { return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0; }
  /// The paths of all datasets of doubles.
  std::vector<std::string> number_sets() const {
    std::vector<std::string> all;
    const auto visit = [](hid_t file, const char* name, const H5O_info_t* info, void* list) {
      if (info->type != H5O_TYPE_DATASET) return herr_t(0);
      const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(set);
      if (H5Tget_class(type) == H5T_FLOAT)
        static_cast<std::vector<std::string>*>(list)->push_back(std::string("/") + name);
      H5Tclose(type);
      H5Dclose(set);
      return herr_t(0);
    };
    CHECK(H5Ovisit2(file_, H5_INDEX_NAME, H5_ITER_INC, visit, &all, H5O_INFO_BASIC) >= 0);
    return all;
  }
  std::string text_attribute(const char* object, const char* name) const {
    const hid_t attribute = H5Aopen_by_name(file_, object, name, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(attribute >= 0);
    const hid_t type = H5Aget_type(attribute);
    char* text = nullptr;
    CHECK(H5Aread(attribute, type, &text) >= 0);
    const std::string value = text;
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
    return value;
  }
  double number_attribute(const char* name) const {
    const hid_t attribute = H5Aopen_by_name(file_, "/", name, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(attribute >= 0);
    double value = 0;
    CHECK(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
    H5Aclose(attribute);
    return value;
  }

 private:
  hid_t file_;
};

using Shape = std::vector<hsize_t>;

TEST_CASE("a trajectory reads back from HDF5 with every digit at its position") {
  const TemporaryFolder folder;
  const Trajectory trajectory = sample_trajectory(5);
  io::write_hdf5(folder.path / "a.h5", sample_scene(), trajectory);
  const Reader file(folder.path / "a.h5");
  CHECK(file.shape("/bodies/position") == Shape{5, 2, 3});
  CHECK(file.shape("/bodies/quaternion_wxyz") == Shape{5, 2, 4});
  CHECK(file.shape("/nodes/reaction") == Shape{5, 1, 3});
  CHECK(file.shape("/joints/coordinates") == Shape{5, 5});
  CHECK(file.shape("/joints/rates") == Shape{5, 4});
  CHECK(file.shape("/constraints/force") == Shape{5, 2, 3});
  CHECK(file.shape("/constraints/multipliers") == Shape{5, 4});
  const auto time = file.numbers("/time"), x = file.numbers("/bodies/position"),
             q = file.numbers("/bodies/quaternion_wxyz"), force = file.numbers("/joints/force"),
             coordinates = file.numbers("/joints/coordinates"), tip = file.numbers("/points/position"),
             multipliers = file.numbers("/constraints/multipliers"),
             energy = file.numbers("/invariants/energy"),
             momentum = file.numbers("/invariants/angular_momentum");
  for (std::size_t i = 0; i < 5; ++i) {
    const Sample& sample = trajectory.samples[i];
    CHECK(time[i] == sample.t);
    CHECK(file.numbers("/nodes/reaction")[3 * i + 2] == sample.nodes[0].reaction[2]);
    CHECK(x[6 * i + 5] == sample.bodies[1].x[2]);
    double xyzw[4];
    sample.bodies[1].R.to(xyzw);
    CHECK(q[8 * i + 4] == xyzw[3]);
    CHECK(q[8 * i + 7] == xyzw[2]);
    CHECK(force[6 * i + 1] == sample.joints[0].force[1]);
    CHECK(coordinates[5 * i] == 4);
    CHECK(coordinates[5 * i + 1] == 1);
    CHECK(coordinates[5 * i + 4] == sample.joints[1].q[0]);
    CHECK(file.numbers("/joints/accelerations")[4 * i + 3] == sample.joints[1].a[0]);
    CHECK(file.numbers("/forces/force")[2 * i + 1] == sample.forces[1]);
    CHECK(tip[3 * i] == sample.points[0].x[0]);
    CHECK(multipliers[4 * i] == sample.constraints[0].multipliers[0]);
    CHECK(multipliers[4 * i + 3] == sample.constraints[1].multipliers[2]);
    CHECK(energy[i] == sample.invariants.energy());
    CHECK(momentum[3 * i + 2] == sample.invariants.angular_momentum[2]);
  }
}

TEST_CASE("names, units and provenance are stored in the file of a result") {
  const TemporaryFolder folder;
  io::write_hdf5(folder.path / "a.h5", sample_scene(), sample_trajectory());
  const Reader file(folder.path / "a.h5");
  CHECK(file.strings("/bodies/names") == std::vector<std::string>{"top", "bead"});
  CHECK(file.strings("/nodes/names") == std::vector<std::string>{"knot"});
  CHECK(file.strings("/joints/names") == std::vector<std::string>{"pivot", "hinge"});
  CHECK(file.strings("/joints/coordinates_labels") ==
        std::vector<std::string>{"pivot.qw", "pivot.qx", "pivot.qy", "pivot.qz", "hinge.angle"});
  CHECK(file.strings("/joints/accelerations_labels") ==
        std::vector<std::string>{"pivot.Omegadot_x", "pivot.Omegadot_y", "pivot.Omegadot_z",
                                 "hinge.angle_acceleration"});
  CHECK(file.strings("/forces/force_labels") == std::vector<std::string>{"pull", "motor"});
  CHECK(file.strings("/forces/force_units") == std::vector<std::string>{"N", "N m"});
  CHECK(file.strings("/constraints/multipliers_labels") ==
        std::vector<std::string>{"rod.0", "contact.0", "contact.1", "contact.2"});
  CHECK(file.strings("/events/names") == std::vector<std::string>{"touch"});
  CHECK(file.numbers("/events/time") == std::vector<double>{1. / 3});
  CHECK(file.strings("/scene") == std::vector<std::string>{sample_scene().resolved});
  CHECK(file.text_attribute("/", "format") == "torsor/result/1");
  CHECK(file.text_attribute("/", "method") == "rkmk4");
  CHECK(file.text_attribute("/", "status") == "reached-end");
  for (const char* name :
       {"version", "git", "compiler", "flags", "instruction_set", "cpu", "libm", "mxcsr"}) {
    CAPTURE(name);
    CHECK_FALSE(file.text_attribute("/", name).empty());
  }
  CHECK(file.text_attribute("/", "shared_reactions") == "contact");
  CHECK(file.number_attribute("step") == 1e-3);
  CHECK(file.number_attribute("steps_accepted") == 20);
  CHECK(file.text_attribute("/bodies/acceleration", "unit") == "m/s^2");
  CHECK(file.text_attribute("/bodies/angular_velocity", "axes") == "body");
}

TEST_CASE("every dataset of numbers has its unit, or one unit for each column") {
  const TemporaryFolder folder;
  io::write_hdf5(folder.path / "a.h5", sample_scene(), sample_trajectory());
  const Reader file(folder.path / "a.h5");
  const std::vector<std::string> numbers = file.number_sets();
  CHECK(numbers.size() > 30);
  for (const std::string& set : numbers) {
    CAPTURE(set);
    if (file.has(set + "_units"))
      CHECK(file.strings((set + "_units").c_str()).size() == file.shape(set.c_str()).back());
    else
      CHECK_FALSE(file.text_attribute(set.c_str(), "unit").empty());
  }
  CHECK(file.strings("/joints/coordinates_units") == std::vector<std::string>{"1", "1", "1", "1", "rad"});
  CHECK(file.strings("/joints/rates_units") == std::vector<std::string>{"rad/s", "rad/s", "rad/s", "rad/s"});
  CHECK(file.strings("/constraints/multipliers_units") == std::vector<std::string>{"N", "N", "N", "N"});
  CHECK(file.text_attribute("/constraints/power", "unit") == "W");
}

TEST_CASE("a trajectory that does not belong to the scene is not written, and leaves no file") {
  const TemporaryFolder folder;
  Trajectory ragged = sample_trajectory();
  ragged.samples.back().joints.pop_back();
  scene::Scene smaller = sample_scene();
  smaller.mechanism.bodies.pop_back();
  scene::Scene other_joint = sample_scene();
  other_joint.mechanism.joints[0].kind = JointKind::prismatic;
  for (const auto write_as : {io::write_hdf5, io::write_csv}) {
    CHECK_THROWS_WITH_AS(write_as(folder.path / "a", sample_scene(), ragged, {}),
                         "the sample at t = 0.2 does not belong to the scene \"sample\": its number of "
                         "joints is 1 instead of 2",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        write_as(folder.path / "a", smaller, sample_trajectory(), {}),
        "the sample at t = 0 does not belong to the scene \"sample\": its number of bodies is 2 instead of 1",
        std::invalid_argument);
    CHECK_THROWS_WITH_AS(write_as(folder.path / "a", other_joint, sample_trajectory(), {}),
                         "the sample at t = 0 does not belong to the scene \"sample\": its number of "
                         "coordinates of a joint is 4 instead of 1",
                         std::invalid_argument);
    CHECK(std::filesystem::is_empty(folder.path));
  }
  Trajectory longer = sample_trajectory();
  longer.samples.back().constraints[0].multipliers = Vec::Zero(2);
  CHECK_THROWS_WITH_AS(io::write_hdf5(folder.path / "a", sample_scene(), longer, {}),
                       "the samples differ in the number of multipliers of a constraint",
                       std::invalid_argument);
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("an HDF5 file holds more rows than one block, and rows without numbers") {
  const TemporaryFolder folder;
  scene::Scene scene = sample_scene();
  scene.points.clear();
  Trajectory trajectory = sample_trajectory(30000);  // 6 numbers in a row: 1365 rows in a block of 64 KiB
  for (Sample& sample : trajectory.samples) sample.points.clear();
  io::write_hdf5(folder.path / "a.h5", scene, trajectory);
  const Reader file(folder.path / "a.h5");
  CHECK(file.shape("/points/position") == Shape{30000, 0, 3});
  const auto x = file.numbers("/bodies/position");
  for (const std::size_t i : {std::size_t(1364), std::size_t(1365), std::size_t(1366), std::size_t(29999)})
    CHECK(x[6 * i] == trajectory.samples[i].bodies[0].x[0]);
}

}  // namespace
}  // namespace torsor::test
