#include <fmt/format.h>

#include <algorithm>

#include "io/motion_kind.hpp"
#include "io/tables/body_columns.hpp"
#include "read_parts.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::io {
namespace {

/// Copies the numbers of datasets [sample, item, 3], [sample] and [sample, 3] into the samples.
class StoredRows {
 public:
  StoredRows(const Hdf5Reader& file, std::vector<Sample>& samples) : file_(file), samples_(samples) {}

  template <class Item>
  void vectors(const std::string& path, std::size_t items, std::vector<Item> Sample::*list,
               Vec3 Item::*member) const {
    const auto& values = file_.array(path, {samples_.size(), items, 3});
    const double* at = values.data();
    for (Sample& sample : samples_)
      for (Item& item : sample.*list) item.*member = Vec3(at), at += 3;
  }
  void numbers(const std::string& path, double Invariants::*member) const {
    const auto& values = file_.array(path, {samples_.size()});
    for (std::size_t i = 0; i < samples_.size(); ++i) samples_[i].invariants.*member = values[i];
  }
  void vectors(const std::string& path, Vec3 Invariants::*member) const {
    const auto& values = file_.array(path, {samples_.size(), 3});
    for (std::size_t i = 0; i < samples_.size(); ++i)
      samples_[i].invariants.*member = Vec3(values.data() + 3 * i);
  }

 private:
  const Hdf5Reader& file_;
  std::vector<Sample>& samples_;
};

void read_bodies(const Hdf5Reader& file, const scene::Scene& scene, std::vector<Sample>& samples) {
  const std::size_t count = scene.mechanism.bodies.size();
  check_names(file, "/bodies/names", names_of(scene.mechanism.bodies));
  for (Sample& sample : samples) sample.bodies.resize(count);
  const StoredRows rows(file, samples);
  for_each_stored_vector([&](const BodyVector& vector) {
    rows.vectors("/bodies/" + std::string(vector.dataset), count, &Sample::bodies, vector.stored);
  });
  const auto& q = file.array("/bodies/quaternion_wxyz", {samples.size(), count, 4});
  const double* at = q.data();
  for (Sample& sample : samples)
    for (BodyMotion& body : sample.bodies) {
      body.R = SO3<>::from_wxyz(at[0], at[1], at[2], at[3]);
      at += 4;
    }
}

void read_nodes(const Hdf5Reader& file, const scene::Scene& scene, std::vector<Sample>& samples) {
  std::vector<std::string> names;
  for (const Body& body : scene.mechanism.bodies)
    for (const ParticleNode& node : body.nodes) names.push_back(node.name);
  if (names.empty()) return;
  check_names(file, "/nodes/names", names);
  for (Sample& sample : samples) sample.nodes.resize(names.size());
  const StoredRows rows(file, samples);
  for_each_stored_vector([&](const BodyVector& vector) {
    if (vector.of != BodyVector::Of::turning)
      rows.vectors("/nodes/" + std::string(vector.dataset), names.size(), &Sample::nodes, vector.stored);
  });
}

/// Reads the coordinates, rates or accelerations of all joints, which stand side by side in one dataset.
void read_stacked(const Hdf5Reader& file, const std::string& path, const scene::Scene& scene,
                  std::vector<Sample>& samples, std::vector<Column> (*columns)(JointKind),
                  Vec JointMotion::*member) {
  std::size_t width = 0;
  for (const Joint& joint : scene.mechanism.joints) width += columns(joint.kind).size();
  const auto& values = file.array(path, {samples.size(), width});
  const double* at = values.data();
  for (Sample& sample : samples)
    for (std::size_t k = 0; k < scene.mechanism.joints.size(); ++k) {
      const JointKind kind = scene.mechanism.joints[k].kind;
      const auto size = static_cast<Eigen::Index>(columns(kind).size());
      Vec& part = sample.joints[k].*member = Eigen::Map<const Vec>(at, size);
      if (joint_type(kind).quaternion && member == &JointMotion::q)
        std::rotate(part.end() - 4, part.end() - 3, part.end());
      at += size;
    }
}

void read_joints(const Hdf5Reader& file, const scene::Scene& scene, std::vector<Sample>& samples) {
  const std::size_t count = scene.mechanism.joints.size();
  check_names(file, "/joints/names", names_of(scene.mechanism.joints));
  for (Sample& sample : samples) sample.joints.resize(count);
  read_stacked(file, "/joints/coordinates", scene, samples, coordinate_columns, &JointMotion::q);
  read_stacked(file, "/joints/rates", scene, samples, rate_columns, &JointMotion::v);
  read_stacked(file, "/joints/accelerations", scene, samples, acceleration_columns, &JointMotion::a);
  const StoredRows rows(file, samples);
  rows.vectors("/joints/force", count, &Sample::joints, &JointMotion::force);
  rows.vectors("/joints/torque", count, &Sample::joints, &JointMotion::torque);
}

/// The number of multipliers of each constraint. Their labels are "name.0", "name.1", ..., in the order of
/// `names`.
std::vector<std::size_t> multiplier_counts(const Hdf5Reader& file, const std::vector<std::string>& names) {
  const auto& labels = file.strings("/constraints/multipliers_labels");
  std::vector<std::size_t> counts(names.size(), 0);
  auto label = labels.begin();
  for (std::size_t i = 0; i < names.size(); ++i)
    while (label != labels.end() && *label == fmt::format("{}.{}", names[i], counts[i])) ++label, ++counts[i];
  if (label != labels.end()) file.fail("is damaged at /constraints/multipliers_labels");
  return counts;
}

void read_constraints(const Hdf5Reader& file, const scene::Scene& scene, std::vector<Sample>& samples) {
  const auto& names = file.strings("/constraints/names");
  const auto all = names_of(scene.mechanism.constraints);
  if (names.size() > all.size() || !std::equal(names.begin(), names.end(), all.begin()))
    file.fail("is damaged at /constraints/names: names differ from the scene");
  for (Sample& sample : samples) sample.constraints.resize(names.size());
  const StoredRows rows(file, samples);
  rows.vectors("/constraints/force", names.size(), &Sample::constraints, &ConstraintMotion::force);
  rows.vectors("/constraints/torque", names.size(), &Sample::constraints, &ConstraintMotion::torque);
  const auto counts = multiplier_counts(file, names);
  std::size_t width = 0;
  for (const std::size_t count : counts) width += count;
  const auto& multipliers = file.array("/constraints/multipliers", {samples.size(), width});
  const auto& power = file.array("/constraints/power", {samples.size(), names.size()});
  const double *at = multipliers.data(), *watts = power.data();
  for (Sample& sample : samples)
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto size = static_cast<Eigen::Index>(counts[i]);
      sample.constraints[i].multipliers = Eigen::Map<const Vec>(at, size);
      sample.constraints[i].power = *watts++;
      at += size;
    }
}

/// Reads `count` numbers of each sample.
void read_numbers(const Hdf5Reader& file, const char* path, std::size_t count,
                  std::vector<double> Sample::*member, std::vector<Sample>& samples) {
  if (count == 0) return;
  const auto& values = file.array(path, {samples.size(), count});
  auto at = values.begin();
  for (Sample& sample : samples) {
    const auto end = at + static_cast<std::ptrdiff_t>(count);
    (sample.*member).assign(at, end);
    at = end;
  }
}

void read_points(const Hdf5Reader& file, const scene::Scene& scene, std::vector<Sample>& samples) {
  check_names(file, "/points/names", names_of(scene.points));
  for (Sample& sample : samples) sample.points.resize(scene.points.size());
  const StoredRows rows(file, samples);
  rows.vectors("/points/position", scene.points.size(), &Sample::points, &PointMotion::x);
  rows.vectors("/points/velocity", scene.points.size(), &Sample::points, &PointMotion::v);
}

void read_invariants(const Hdf5Reader& file, std::vector<Sample>& samples) {
  const StoredRows rows(file, samples);
  rows.numbers("/invariants/kinetic", &Invariants::kinetic);
  rows.numbers("/invariants/potential", &Invariants::potential);
  rows.numbers("/invariants/work", &Invariants::work);
  rows.numbers("/invariants/group_defect", &Invariants::group_defect);
  rows.numbers("/invariants/position_residual", &Invariants::position_residual);
  rows.numbers("/invariants/velocity_residual", &Invariants::velocity_residual);
  rows.numbers("/invariants/acceleration_residual", &Invariants::acceleration_residual);
  rows.vectors("/invariants/linear_momentum", &Invariants::linear_momentum);
  rows.vectors("/invariants/angular_momentum", &Invariants::angular_momentum);
}

}  // namespace

void read_of_bodies(const Hdf5Reader& file, const scene::Scene& scene, std::vector<Sample>& samples) {
  read_bodies(file, scene, samples);
  read_nodes(file, scene, samples);
  read_joints(file, scene, samples);
  read_constraints(file, scene, samples);
  read_numbers(file, "/forces/force", scalar_forces(scene.mechanism).size(), &Sample::forces, samples);
  read_numbers(file, "/states/value", scene.mechanism.states.size(), &Sample::states, samples);
  read_points(file, scene, samples);
  read_invariants(file, samples);
}

}  // namespace torsor::io
