#include <algorithm>
#include <stdexcept>
#include <string>

#include "hdf5_samples.hpp"
#include "io/motion_kind.hpp"
#include "io/tables/body_columns.hpp"

namespace torsor::io {
namespace {

/// Dataset [sample, item, 3] from a vector that each item of a sample has.
template <class Item>
void vectors(Hdf5Samples& sets, const std::string& path, std::size_t count, std::vector<Item> Sample::*items,
             Vec3 Item::*member, std::string_view unit, std::string_view axes) {
  sets.add(path, {count, 3}, unit, axes, [items, member](const Sample& sample, std::span<double> row) {
    auto out = row.begin();
    for (const Item& item : sample.*items) out = std::copy_n((item.*member).data(), 3, out);
  });
}

void declare_bodies(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene) {
  const std::size_t count = scene.mechanism.bodies.size();
  file.group("/bodies");
  file.strings("/bodies/names", names_of(scene.mechanism.bodies));
  for_each_stored_vector([&](const BodyVector& vector) {
    vectors(sets, "/bodies/" + std::string(vector.dataset), count, &Sample::bodies, vector.stored,
            vector.unit, vector.axes);
  });
  sets.add("/bodies/quaternion_wxyz", {count, 4}, "1", "body to world",
           [](const Sample& sample, std::span<double> row) {
             double* q = row.data();
             for (const BodyMotion& body : sample.bodies) {
               body.R.to(q);
               std::rotate(q, q + 3, q + 4);
               q += 4;
             }
           });
}

/// Writes the names and units of the columns of a dataset, as two datasets beside it.
void label(Hdf5File& file, const std::string& path, const std::vector<Column>& columns) {
  std::vector<std::string> labels, units;
  for (const Column& column : columns) labels.push_back(column.name), units.push_back(column.unit);
  file.strings(path + "_labels", labels);
  file.strings(path + "_units", units);
}

/// The stacked coordinates, rates or accelerations of all joints, labelled "joint.component".
void declare_coordinates(Hdf5File& file, Hdf5Samples& sets, const std::string& path,
                         const scene::Scene& scene, std::vector<Column> (*columns_of)(JointKind),
                         Vec JointMotion::*member) {
  std::vector<Column> columns;
  for (const Joint& joint : scene.mechanism.joints) {
    for (const Column& column : columns_of(joint.kind))
      columns.push_back({joint.name + "." + column.name, column.unit});
  }
  sets.add(path, {columns.size()}, "", "", [&scene, member](const Sample& sample, std::span<double> row) {
    auto out = row.begin();
    for (std::size_t k = 0; k < scene.mechanism.joints.size(); ++k) {
      const JointMotion& motion = sample.joints[k];
      const Vec values = member == &JointMotion::q
                             ? labelled_coordinates(scene.mechanism.joints[k].kind, motion.q)
                             : motion.*member;
      out = std::copy(values.begin(), values.end(), out);
    }
  });
  label(file, path, columns);
}

void declare_nodes(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene) {
  std::vector<std::string> names;
  for (const Body& body : scene.mechanism.bodies)
    for (const ParticleNode& node : body.nodes) names.push_back(node.name);
  if (names.empty()) return;
  file.group("/nodes");
  file.strings("/nodes/names", names);
  for_each_stored_vector([&](const BodyVector& vector) {
    if (vector.of != BodyVector::Of::turning)
      vectors(sets, "/nodes/" + std::string(vector.dataset), names.size(), &Sample::nodes, vector.stored,
              vector.unit, vector.axes);
  });
}

void declare_joints(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene) {
  const std::size_t count = scene.mechanism.joints.size();
  file.group("/joints");
  file.strings("/joints/names", names_of(scene.mechanism.joints));
  declare_coordinates(file, sets, "/joints/coordinates", scene, coordinate_columns, &JointMotion::q);
  declare_coordinates(file, sets, "/joints/rates", scene, rate_columns, &JointMotion::v);
  declare_coordinates(file, sets, "/joints/accelerations", scene, acceleration_columns, &JointMotion::a);
  vectors(sets, "/joints/force", count, &Sample::joints, &JointMotion::force, "N", "world");
  vectors(sets, "/joints/torque", count, &Sample::joints, &JointMotion::torque, "N m", "world");
}

void declare_constraints(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene, const Sample& first) {
  std::vector<std::string> names;
  std::vector<Column> multipliers;
  std::vector<Eigen::Index> counts;
  for (std::size_t i = 0; i < first.constraints.size(); ++i) {
    names.push_back(scene.mechanism.constraints[i].name);
    counts.push_back(first.constraints[i].multipliers.size());
    for (Column& column : multiplier_columns(scene.mechanism, i, counts.back()))
      multipliers.push_back({names.back() + "." + column.name, std::move(column.unit)});
  }
  file.group("/constraints");
  file.strings("/constraints/names", names);
  const auto vector = [&](const char* name, Vec3 ConstraintMotion::*member, const char* unit) {
    vectors(sets, std::string("/constraints/") + name, names.size(), &Sample::constraints, member, unit,
            "world");
  };
  vector("force", &ConstraintMotion::force, "N");
  vector("torque", &ConstraintMotion::torque, "N m");
  sets.add(
      "/constraints/multipliers", {multipliers.size()}, "", "",
      [counts](const Sample& sample, std::span<double> row) {
        auto out = row.begin();
        for (std::size_t i = 0; i < counts.size(); ++i) {
          const Vec& values = sample.constraints[i].multipliers;
          if (values.size() != counts[i])
            throw std::invalid_argument("the samples differ in the number of multipliers of a constraint");
          out = std::copy(values.begin(), values.end(), out);
        }
      });
  label(file, "/constraints/multipliers", multipliers);
  sets.add("/constraints/power", {names.size()}, "W", "", [](const Sample& sample, std::span<double> row) {
    std::transform(sample.constraints.begin(), sample.constraints.end(), row.begin(),
                   [](const auto& one) { return one.power; });
  });
}

void declare_forces(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene) {
  const std::vector<Column> columns = scalar_forces(scene.mechanism);
  if (columns.empty()) return;
  file.group("/forces");
  sets.add("/forces/force", {columns.size()}, "", "", [](const Sample& sample, std::span<double> row) {
    std::copy_n(sample.forces.begin(), row.size(), row.begin());
  });
  label(file, "/forces/force", columns);
}

void declare_states(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene) {
  const std::vector<Column> columns = own_states(scene.mechanism);
  if (columns.empty()) return;
  file.group("/states");
  sets.add("/states/value", {columns.size()}, "", "", [](const Sample& sample, std::span<double> row) {
    std::copy_n(sample.states.begin(), row.size(), row.begin());
  });
  label(file, "/states/value", columns);
}

void declare_points(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene) {
  const std::size_t count = scene.points.size();
  file.group("/points");
  file.strings("/points/names", names_of(scene.points));
  vectors(sets, "/points/position", count, &Sample::points, &PointMotion::x, "m", "world");
  vectors(sets, "/points/velocity", count, &Sample::points, &PointMotion::v, "m/s", "world");
}

void declare_invariants(Hdf5File& file, Hdf5Samples& sets) {
  file.group("/invariants");
  const auto scalar = [&](const char* name, const char* unit, auto value) {
    sets.add(std::string("/invariants/") + name, {}, unit, "",
             [value](const Sample& sample, std::span<double> row) { row[0] = value(sample.invariants); });
  };
  const auto vector = [&](const char* name, const char* unit, Vec3 Invariants::*member) {
    sets.add(std::string("/invariants/") + name, {3}, unit, "world",
             [member](const Sample& sample, std::span<double> row) {
               std::copy_n((sample.invariants.*member).data(), 3, row.begin());
             });
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

void declare_of_bodies(Hdf5File& file, Hdf5Samples& sets, const scene::Scene& scene, const Sample& first) {
  sets.add("/time", {}, "s", "", [](const Sample& sample, std::span<double> row) { row[0] = sample.t; });
  declare_bodies(file, sets, scene);
  declare_nodes(file, sets, scene);
  declare_joints(file, sets, scene);
  declare_constraints(file, sets, scene, first);
  declare_forces(file, sets, scene);
  declare_states(file, sets, scene);
  declare_points(file, sets, scene);
  declare_invariants(file, sets);
}

}  // namespace torsor::io
