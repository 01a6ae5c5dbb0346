#include "torsor/io/hdf5.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "hdf5_events.hpp"
#include "hdf5_file.hpp"
#include "partial_file.hpp"
#include "torsor/io/result.hpp"

namespace torsor {
namespace {

/// Unit and axes of a dataset, as attributes.
void describe(Hdf5File& file, const std::string& path, const char* unit, const char* axes) {
  file.attribute(path, {"unit", std::string(unit)});
  if (*axes != '\0') file.attribute(path, {"axes", std::string(axes)});
}

/// [sample, item, 3] from a vector that each item of each sample has.
template <class Item>
void vectors(Hdf5File& file, const std::string& path, const Trajectory& trajectory,
             std::vector<Item> Sample::*items, Vec3 Item::*member, const char* unit, const char* axes) {
  const std::size_t count = (trajectory.samples.front().*items).size();
  file.array(path, trajectory.samples.size(), {count, 3}, [&](std::size_t i, std::span<double> row) {
    auto out = row.begin();
    for (const Item& item : trajectory.samples[i].*items) {
      out = std::copy_n((item.*member).data(), 3, out);
    }
  });
  describe(file, path, unit, axes);
}

void write_bodies(Hdf5File& file, const Scene& scene, const Trajectory& trajectory) {
  std::vector<std::string> names;
  for (const Body& body : scene.mechanism.bodies) names.push_back(body.name);
  file.group("/bodies");
  file.strings("/bodies/names", names);
  const auto vector = [&](const char* name, Vec3 BodyMotion::*member, const char* unit, const char* axes) {
    vectors(file, std::string("/bodies/") + name, trajectory, &Sample::bodies, member, unit, axes);
  };
  vector("position", &BodyMotion::x, "m", "world");
  vector("velocity", &BodyMotion::v, "m/s", "world");
  vector("acceleration", &BodyMotion::vdot, "m/s^2", "world");
  vector("angular_velocity", &BodyMotion::Omega, "rad/s", "body");
  vector("angular_acceleration", &BodyMotion::Omegadot, "rad/s^2", "body");
  vector("reaction", &BodyMotion::reaction, "N", "world");
  file.array("/bodies/quaternion_wxyz", trajectory.samples.size(), {names.size(), 4},
             [&](std::size_t i, std::span<double> row) {
               for (std::size_t k = 0; k < names.size(); ++k) {
                 double* q = row.data() + 4 * k;
                 trajectory.samples[i].bodies[k].R.to(q);
                 std::rotate(q, q + 3, q + 4);
               }
             });
  describe(file, "/bodies/quaternion_wxyz", "1", "body to world");
}

/// What the columns of a dataset are called, and their units, as datasets beside it.
void label(Hdf5File& file, const std::string& path, const std::vector<Column>& columns) {
  std::vector<std::string> labels, units;
  for (const Column& column : columns) labels.push_back(column.name), units.push_back(column.unit);
  file.strings(path + "_labels", labels);
  file.strings(path + "_units", units);
}

/// The stacked coordinates, rates or accelerations of all joints, labelled "joint.component".
void write_coordinates(Hdf5File& file, const std::string& path, const Scene& scene,
                       const Trajectory& trajectory, std::vector<Column> (*columns_of)(JointKind),
                       Vec JointMotion::*member) {
  std::vector<Column> columns;
  for (const Joint& joint : scene.mechanism.joints) {
    for (const Column& column : columns_of(joint.kind))
      columns.push_back({joint.name + "." + column.name, column.unit});
  }
  file.array(path, trajectory.samples.size(), {columns.size()}, [&](std::size_t i, std::span<double> row) {
    auto out = row.begin();
    for (std::size_t k = 0; k < scene.mechanism.joints.size(); ++k) {
      const JointMotion& motion = trajectory.samples[i].joints[k];
      const Vec values = member == &JointMotion::q
                             ? labelled_coordinates(scene.mechanism.joints[k].kind, motion.q)
                             : motion.*member;
      out = std::copy(values.begin(), values.end(), out);
    }
  });
  label(file, path, columns);
}

void write_nodes(Hdf5File& file, const Scene& scene, const Trajectory& trajectory) {
  std::vector<std::string> names;
  for (const Body& body : scene.mechanism.bodies)
    for (const ParticleNode& node : body.nodes) names.push_back(node.name);
  if (names.empty()) return;
  file.group("/nodes");
  file.strings("/nodes/names", names);
  const auto vector = [&](const char* name, Vec3 BodyMotion::*member, const char* unit) {
    vectors(file, std::string("/nodes/") + name, trajectory, &Sample::nodes, member, unit, "world");
  };
  vector("position", &BodyMotion::x, "m");
  vector("velocity", &BodyMotion::v, "m/s");
  vector("acceleration", &BodyMotion::vdot, "m/s^2");
  vector("reaction", &BodyMotion::reaction, "N");
}

void write_joints(Hdf5File& file, const Scene& scene, const Trajectory& trajectory) {
  std::vector<std::string> names;
  for (const Joint& joint : scene.mechanism.joints) names.push_back(joint.name);
  file.group("/joints");
  file.strings("/joints/names", names);
  write_coordinates(file, "/joints/coordinates", scene, trajectory, coordinate_columns, &JointMotion::q);
  write_coordinates(file, "/joints/rates", scene, trajectory, rate_columns, &JointMotion::v);
  write_coordinates(file, "/joints/accelerations", scene, trajectory, acceleration_columns, &JointMotion::a);
  vectors(file, "/joints/force", trajectory, &Sample::joints, &JointMotion::force, "N", "world");
  vectors(file, "/joints/torque", trajectory, &Sample::joints, &JointMotion::torque, "N m", "world");
}

void write_constraints(Hdf5File& file, const Scene& scene, const Trajectory& trajectory) {
  std::vector<std::string> names;
  std::vector<Column> multipliers;
  const auto& first = trajectory.samples.front().constraints;
  for (std::size_t i = 0; i < first.size(); ++i) {
    names.push_back(scene.mechanism.constraints[i].name);
    for (Column& column : multiplier_columns(scene.mechanism, i, first[i].multipliers.size()))
      multipliers.push_back({names.back() + "." + column.name, std::move(column.unit)});
  }
  file.group("/constraints");
  file.strings("/constraints/names", names);
  vectors(file, "/constraints/force", trajectory, &Sample::constraints, &ConstraintMotion::force, "N",
          "world");
  vectors(file, "/constraints/torque", trajectory, &Sample::constraints, &ConstraintMotion::torque, "N m",
          "world");
  file.array("/constraints/multipliers", trajectory.samples.size(), {multipliers.size()},
             [&](std::size_t i, std::span<double> row) {
               auto out = row.begin();
               for (const ConstraintMotion& motion : trajectory.samples[i].constraints)
                 out = std::copy(motion.multipliers.begin(), motion.multipliers.end(), out);
             });
  label(file, "/constraints/multipliers", multipliers);
  file.array("/constraints/power", trajectory.samples.size(), {names.size()},
             [&](std::size_t i, std::span<double> row) {
               const auto& motions = trajectory.samples[i].constraints;
               std::transform(motions.begin(), motions.end(), row.begin(),
                              [](const auto& one) { return one.power; });
             });
  describe(file, "/constraints/power", "W", "");
}

void write_forces(Hdf5File& file, const Scene& scene, const Trajectory& trajectory) {
  const std::vector<Column> columns = scalar_forces(scene.mechanism);
  if (columns.empty()) return;
  file.group("/forces");
  file.array("/forces/force", trajectory.samples.size(), {columns.size()},
             [&](std::size_t i, std::span<double> row) {
               std::copy_n(trajectory.samples[i].forces.begin(), row.size(), row.begin());
             });
  label(file, "/forces/force", columns);
}

void write_points(Hdf5File& file, const Scene& scene, const Trajectory& trajectory) {
  std::vector<std::string> names;
  for (const TrackedPoint& point : scene.points) names.push_back(point.name);
  file.group("/points");
  file.strings("/points/names", names);
  vectors(file, "/points/position", trajectory, &Sample::points, &PointMotion::x, "m", "world");
  vectors(file, "/points/velocity", trajectory, &Sample::points, &PointMotion::v, "m/s", "world");
}

void write_invariants(Hdf5File& file, const Trajectory& trajectory) {
  file.group("/invariants");
  const auto scalar = [&](const std::string& name, const char* unit, auto value) {
    const std::string path = "/invariants/" + name;
    file.array(path, trajectory.samples.size(), {}, [&](std::size_t i, std::span<double> row) {
      row[0] = value(trajectory.samples[i].invariants);
    });
    describe(file, path, unit, "");
  };
  const auto vector = [&](const std::string& name, const char* unit, Vec3 Invariants::*member) {
    const std::string path = "/invariants/" + name;
    file.array(path, trajectory.samples.size(), {3}, [&](std::size_t i, std::span<double> row) {
      std::copy_n((trajectory.samples[i].invariants.*member).data(), 3, row.begin());
    });
    describe(file, path, unit, "world");
  };
  scalar("kinetic", "J", [](const Invariants& at) { return at.kinetic; });
  scalar("potential", "J", [](const Invariants& at) { return at.potential; });
  scalar("energy", "J", [](const Invariants& at) { return at.energy(); });
  scalar("work", "J", [](const Invariants& at) { return at.work; });
  vector("linear_momentum", "kg m/s", &Invariants::linear_momentum);
  vector("angular_momentum", "kg m^2/s", &Invariants::angular_momentum);
  scalar("group_defect", "1", [](const Invariants& at) { return at.group_defect; });
  scalar("position_residual", "m or rad", [](const Invariants& at) { return at.position_residual; });
  scalar("velocity_residual", "m/s or rad/s", [](const Invariants& at) { return at.velocity_residual; });
  scalar("acceleration_residual", "1", [](const Invariants& at) { return at.acceleration_residual; });
}

}  // namespace

void write_hdf5(const std::filesystem::path& path, const Scene& scene, const Trajectory& trajectory) {
  Hdf5File content(path);
  content.attribute("/", {"format", std::string("torsor/result/1")});
  for (const Fact& fact : facts(scene, trajectory)) content.attribute("/", fact);
  content.text("/scene", scene.resolved);
  content.array("/time", trajectory.samples.size(), {},
                [&](std::size_t i, std::span<double> row) { row[0] = trajectory.samples[i].t; });
  describe(content, "/time", "s", "");
  write_bodies(content, scene, trajectory);
  write_nodes(content, scene, trajectory);
  write_joints(content, scene, trajectory);
  write_constraints(content, scene, trajectory);
  write_forces(content, scene, trajectory);
  write_points(content, scene, trajectory);
  write_invariants(content, trajectory);
  write_events(content, scene, trajectory.summary);

  PartialFile partial(path);
  OutputFile file(partial.path());
  file.bytes = content.image();
  file.close();
  partial.commit();
}

}  // namespace torsor
