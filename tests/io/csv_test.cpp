#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "io/tables/columns.hpp"
#include "sample_result.hpp"
#include "torsor/io/results.hpp"

namespace torsor::test {
namespace {

struct Table {
  std::vector<std::string> comments, heads;
  std::vector<std::map<std::string, double>> rows;
};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) out.push_back(cell);
  if (line.ends_with(',')) out.emplace_back();
  return out;
}

Table read(const std::filesystem::path& path) {
  Table table;
  std::ifstream file(path);
  std::string line;
  REQUIRE(std::getline(file, line));
  table.heads = cells(line);
  while (std::getline(file, line)) {
    if (line.starts_with('#')) {
      table.comments.push_back(line);
    } else {
      const auto texts = cells(line);
      REQUIRE(texts.size() == table.heads.size());
      auto& row = table.rows.emplace_back();
      for (std::size_t k = 0; k < texts.size(); ++k)
        row[table.heads[k]] = std::strtod(texts[k].c_str(), nullptr);
    }
  }
  return table;
}

TEST_CASE("every number of a table reads back as the same double") {
  const TemporaryFolder folder;
  const Trajectory trajectory = sample_trajectory();
  io::write_csv(folder.path / "a.csv", sample_scene(), trajectory);
  const Table table = read(folder.path / "a.csv");
  REQUIRE(table.rows.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    auto row = table.rows[i];
    const Sample& sample = trajectory.samples[i];
    CHECK(row.at("t") == sample.t);
    CHECK(row.at("body.top.x") == sample.bodies[0].x[0]);
    CHECK(row.at("body.top.Omegadot_z") == sample.bodies[0].Omegadot[2]);
    CHECK(row.at("body.bead.vdot_y") == sample.bodies[1].vdot[1]);
    CHECK(row.at("body.bead.reaction_z") == sample.bodies[1].reaction[2]);
    CHECK(row.at("body.knot.vdot_y") == sample.nodes[0].vdot[1]);
    CHECK(row.at("body.knot.force_z") == 0.5 * sample.nodes[0].vdot[2] - sample.nodes[0].reaction[2]);
    CHECK(row.at("joint.pivot.force_y") == sample.joints[0].force[1]);
    CHECK(row.at("joint.hinge.angle") == sample.joints[1].q[0]);
    CHECK(row.at("joint.hinge.angle_rate") == sample.joints[1].v[0]);
    CHECK(row.at("joint.hinge.angle_acceleration") == sample.joints[1].a[0]);
    CHECK(row.at("joint.pivot.Omegadot_y") == sample.joints[0].a[1]);
    CHECK(row.at("force.pull.force") == sample.forces[0]);
    CHECK(row.at("force.motor.force") == sample.forces[1]);
    CHECK(row.at("joint.pivot.Omega_z") == sample.joints[0].v[2]);
    CHECK(row.at("constraint.rod.force_x") == sample.constraints[0].force[0]);
    CHECK(row.at("constraint.rod.multiplier_0") == sample.constraints[0].multipliers[0]);
    CHECK(row.at("constraint.contact.multiplier_2") == sample.constraints[1].multipliers[2]);
    CHECK(row.at("velocity_residual") == sample.invariants.velocity_residual);
    CHECK(row.at("point.tip.z") == sample.points[0].x[2]);
    CHECK(row.at("point.tip.v_x") == sample.points[0].v[0]);
    CHECK(row.at("energy") == sample.invariants.energy());
    CHECK(row.at("angular_momentum_y") == sample.invariants.angular_momentum[1]);
    CHECK(row.at("acceleration_residual") == sample.invariants.acceleration_residual);
  }
}

TEST_CASE("every column has its unit") {
  const TemporaryFolder folder;
  scene::Scene scene = sample_scene();
  io::write_csv(folder.path / "a.csv", scene, sample_trajectory());
  const Table table = read(folder.path / "a.csv");
  REQUIRE(table.comments.size() > 1);
  CHECK(table.comments[0] == "# format: torsor/table/2");
  REQUIRE(table.comments[1].starts_with("# unit: "));
  const auto units = cells(table.comments[1].substr(8));
  REQUIRE(units.size() == table.heads.size());
  std::map<std::string, std::string> unit;
  for (std::size_t k = 0; k < units.size(); ++k) unit[table.heads[k]] = units[k];
  CHECK(unit.size() == table.heads.size());
  for (const auto& [column, expected] :
       std::map<std::string, std::string>{{"t", "s"},
                                          {"body.top.x", "m"},
                                          {"body.top.qw", "1"},
                                          {"body.top.Omegadot_z", "rad/s^2"},
                                          {"body.bead.reaction_x", "N"},
                                          {"body.knot.vdot_y", "m/s^2"},
                                          {"joint.pivot.qz", "1"},
                                          {"joint.pivot.Omega_x", "rad/s"},
                                          {"joint.hinge.angle", "rad"},
                                          {"joint.hinge.angle_rate", "rad/s"},
                                          {"joint.hinge.torque_z", "N m"},
                                          {"constraint.rod.multiplier_0", "N"},
                                          {"constraint.contact.multiplier_2", "N"},
                                          {"constraint.contact.power", "W"},
                                          {"point.tip.v_z", "m/s"},
                                          {"work", "J"},
                                          {"angular_momentum_z", "kg m^2/s"},
                                          {"position_residual", "m or rad"}}) {
    CAPTURE(column);
    CHECK(unit.at(column) == expected);
  }
  for (const auto& [column, name] : unit) {
    CAPTURE(column);
    CHECK_FALSE(name.empty());
  }
}

TEST_CASE("coordinate units depend on the kind of joint, multiplier units on the kind of constraint") {
  scene::Scene scene = sample_scene();
  Sample sample = sample_at(0);
  const auto unit = [&](const std::string& name) {
    for (const io::Column& column : io::columns_of(scene, sample))
      if (column.name == name) return column.unit;
    FAIL("no column " << name);
    return std::string();
  };
  scene.mechanism.joints[1].kind = JointKind::cylindrical;
  sample.joints[1].q = sample.joints[1].v = Vec::Zero(2);
  CHECK(unit("joint.hinge.displacement") == "m");
  CHECK(unit("joint.hinge.displacement_rate") == "m/s");
  CHECK(unit("joint.hinge.angle_rate") == "rad/s");
  scene.mechanism.constraints[0].law = ConstantAngle{};
  CHECK(unit("constraint.rod.multiplier_0") == "N m");
  JointCoupling rack{{{1, 0, 1.}}, 0.};
  scene.mechanism.constraints[0].law = rack;
  CHECK(unit("constraint.rod.multiplier_0") == "N");
  rack.terms.push_back({1, 1, 0.1});
  scene.mechanism.constraints[0].law = rack;
  CHECK(unit("constraint.rod.multiplier_0") == "");
}

TEST_CASE("a sample has the columns of its list, and no others") {
  const scene::Scene scene = sample_scene();
  const Sample sample = sample_at(0);
  const std::vector<io::Column> columns = io::columns_of(scene, sample);
  CHECK(io::has_columns(scene, sample, columns));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    CAPTURE(columns[i].name);
    std::vector<io::Column> other = columns;
    other[i].name.back() ^= 1;
    CHECK_FALSE(io::has_columns(scene, sample, other));
    other = columns;
    other[i].name = "x" + other[i].name;
    CHECK_FALSE(io::has_columns(scene, sample, other));
    other = columns;
    other[i].unit += "m";
    CHECK_FALSE(io::has_columns(scene, sample, other));
    other = columns;
    other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(io::has_columns(scene, sample, other));
    other = columns;
    other.insert(other.begin() + static_cast<std::ptrdiff_t>(i), columns[i]);
    CHECK_FALSE(io::has_columns(scene, sample, other));
  }
}

TEST_CASE("quaternions of bodies and joints are written scalar first") {
  const TemporaryFolder folder;
  const Trajectory trajectory = sample_trajectory();
  io::write_csv(folder.path / "a.csv", sample_scene(), trajectory);
  auto row = read(folder.path / "a.csv").rows[0];
  double xyzw[4];
  trajectory.samples[0].bodies[0].R.to(xyzw);
  CHECK(row.at("body.top.qw") == xyzw[3]);
  CHECK(row.at("body.top.qx") == xyzw[0]);
  CHECK(row.at("joint.pivot.qw") == 4);
  CHECK(row.at("joint.pivot.qx") == 1);
  CHECK(row.at("joint.pivot.qz") == 3);
  CHECK(row.count("body.bead.qw") == 0);
}

TEST_CASE("a table states how it was made") {
  const TemporaryFolder folder;
  io::write_csv(folder.path / "a.csv", sample_scene(), sample_trajectory());
  const auto comments = read(folder.path / "a.csv").comments;
  for (const char* line : {"# scene: sample", "# status: reached-end", "# method: rkmk4", "# step: 0.001",
                           "# version: 0.1.0", "# formulation: tree", "# shared_reactions: contact"}) {
    CAPTURE(line);
    CHECK(std::count(comments.begin(), comments.end(), line) == 1);
  }
}

}  // namespace
}  // namespace torsor::test
