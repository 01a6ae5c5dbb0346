// Results of scenes in coordinates: every format gives back the values that were written.
#include <doctest/doctest.h>
#include <hdf5.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sample_result.hpp"
#include "support/contains.hpp"
#include "torsor/io/pages.hpp"
#include "torsor/io/results.hpp"

namespace torsor::test {
namespace {

scene::Scene sample_coordinate_scene() {
  scene::Scene scene = scene::parse_scene(
      "[run]\nend = 1\n\n[chart]\ncoordinates = [\"x\", \"y\"]\nstart = [0, 0]\nmetric = [[1, 0], [0, 1]]\n"
      "[chart.quasi_velocities]\nv = \"x'\"\nw = \"x' + y'\"\n"
      "[[chart.constraint]]\nname = \"slot\"\nposition = \"x - y\"\n"
      "[[event]]\nname = \"gate\"\nquantity = \"coordinate\"\nof = \"x\"\n",
      "chart");
  return scene;
}

Trajectory sample_coordinate_trajectory() {
  Trajectory trajectory;
  for (int n = 0; n < 3; ++n) {
    const auto two = [n](int k) { return Vec(Eigen::Vector2d(odd_number(n + k), odd_number(n + k + 1))); };
    Sample sample;
    sample.t = 0.1 * n;
    sample.x = {two(0), two(2), {}}, sample.a = two(4), sample.quasi_velocities = two(6);
    sample.multipliers = Vec::Constant(1, odd_number(n + 8));
    Invariants& invariants = sample.invariants;
    invariants.kinetic = odd_number(n + 9), invariants.potential = odd_number(n + 10);
    invariants.work = odd_number(n + 11);
    invariants.position_residual = 1e-3 * n;
    trajectory.samples.push_back(sample);
  }
  trajectory.summary.t = 0.2;
  trajectory.summary.events = {{0, 0.15, {}}};
  return trajectory;
}

std::filesystem::path fresh(const char* ending) {
  return std::filesystem::temp_directory_path() /
         ("torsor_coordinates_" + std::to_string(::getpid()) + ending);
}

}  // namespace

TEST_CASE("the JSON object of a scene in coordinates holds coordinates, rates, energy and constraints") {
  const auto object =
      nlohmann::json::parse(io::to_json(sample_coordinate_scene(), sample_coordinate_trajectory()));
  const Sample last = sample_coordinate_trajectory().samples.back();
  CHECK(object.at("coordinates").at("y").at("value") == last.x.q[1]);
  CHECK(object.at("coordinates").at("y").at("rate") == last.x.v[1]);
  CHECK(object.at("coordinates").at("x").at("acceleration") == last.a[0]);
  CHECK(object.at("quasi_velocities").at("w") == last.quasi_velocities[1]);
  CHECK(object.at("constraints").at("slot").at("multiplier") == last.multipliers[0]);
  CHECK(object.at("energy").at("final") == last.invariants.energy());
  CHECK(object.at("residuals").at("position") == 2e-3);
  CHECK(object.at("events").at(0).at("name") == "gate");
  CHECK(object.at("equations") == "coordinates");
  for (const char* key : {"bodies", "joints", "formulation", "group", "momentum"})
    CHECK_FALSE(object.contains(key));
}

TEST_CASE("the table of a scene in coordinates has the right columns, units and values") {
  const auto path = fresh(".csv");
  io::write_csv(path, sample_coordinate_scene(), sample_coordinate_trajectory());
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  CHECK(line.starts_with(
      "t,coordinate.x.value,coordinate.x.rate,coordinate.x.acceleration,coordinate.y.value"));
  CHECK(line.find("quasi_velocity.w.value,constraint.slot.multiplier,kinetic,potential,energy,work") !=
        line.npos);
  const auto cells = [](const std::string& text) { return std::count(text.begin(), text.end(), ','); };
  const auto columns = cells(line);
  std::getline(file, line);
  CHECK(line == "# format: torsor/table/2");
  std::getline(file, line);
  CHECK(line.starts_with("# unit: s,,,,,,"));
  CHECK(line.ends_with(",J,J,J,J,,,1"));
  CHECK(cells(line) == columns);
  while (std::getline(file, line) && line.starts_with('#')) {
  }
  std::istringstream row(line);
  std::string t, x, rate;
  std::getline(row, t, ','), std::getline(row, x, ','), std::getline(row, rate, ',');
  CHECK(std::stod(x) == odd_number(0));
  CHECK(std::stod(rate) == odd_number(2));
  std::filesystem::remove(path);
}

TEST_CASE("a report gives the residuals of a scene in coordinates without a unit") {
  io::StoredResult result;
  result.scene = sample_coordinate_scene();
  result.trajectory = sample_coordinate_trajectory();
  result.facts = {{"status", "reached-end"}};
  CHECK(contains(report_page(result), "<td>0.002</td>"));
  CHECK(warnings_of(result).front() == "The greatest residual of the constraints is 0.002.");
}

TEST_CASE("the HDF5 file of a scene in coordinates can be read back") {
  const auto path = fresh(".h5");
  io::write_hdf5(path, sample_coordinate_scene(), sample_coordinate_trajectory());
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  REQUIRE(file >= 0);
  const auto read = [&](const char* name) {
    std::vector<double> values(6, -1);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    H5Dclose(set);
    return values;
  };
  const std::vector<double> value = read("/coordinates/value"),
                            multipliers = read("/constraints/multipliers");
  for (int n = 0; n < 3; ++n) {
    CHECK(value[std::size_t(2 * n + 1)] == odd_number(n + 1));
    CHECK(multipliers[std::size_t(n)] == odd_number(n + 8));
  }
  CHECK(read("/invariants/work")[2] == odd_number(13));
  CHECK(read("/events/time")[0] == 0.15);
  H5Fclose(file);
  std::filesystem::remove(path);
}

}  // namespace torsor::test
