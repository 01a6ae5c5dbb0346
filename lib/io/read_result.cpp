#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "facts.hpp"
#include "hdf5_reader.hpp"
#include "torsor/scene/diagnostic.hpp"

namespace torsor {
namespace fs = std::filesystem;
namespace {

/// The names of the parts of a scene, as its result lists them too.
template <class Parts>
std::vector<std::string> names_of(const Parts& parts) {
  std::vector<std::string> names;
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

void check_names(const Hdf5Reader& file, const std::string& path, const std::vector<std::string>& expected) {
  if (file.strings(path) != expected)
    file.fail(fmt::format("is damaged at {}: not those of its scene", path));
}

/// Gives the numbers of a dataset [sample, item, width] to the items of the samples.
class Rows {
 public:
  Rows(const Hdf5Reader& file, Trajectory& trajectory) : file_(file), samples_(trajectory.samples) {}

  template <class Item>
  void vectors(const std::string& path, std::size_t items, std::vector<Item> Sample::*list,
               Vec3 Item::*member) const {
    const auto values = file_.array(path, {samples_.size(), items, 3});
    const double* at = values.data();
    for (Sample& sample : samples_)
      for (Item& item : sample.*list) item.*member = Vec3(at), at += 3;
  }
  void numbers(const std::string& path, double Invariants::*member) const {
    const auto values = file_.array(path, {samples_.size()});
    for (std::size_t i = 0; i < samples_.size(); ++i) samples_[i].invariants.*member = values[i];
  }
  void vectors(const std::string& path, Vec3 Invariants::*member) const {
    const auto values = file_.array(path, {samples_.size(), 3});
    for (std::size_t i = 0; i < samples_.size(); ++i)
      samples_[i].invariants.*member = Vec3(values.data() + 3 * i);
  }

 private:
  const Hdf5Reader& file_;
  std::vector<Sample>& samples_;
};

void read_bodies(const Hdf5Reader& file, const Scene& scene, Trajectory& trajectory) {
  const std::size_t count = scene.mechanism.bodies.size();
  check_names(file, "/bodies/names", names_of(scene.mechanism.bodies));
  for (Sample& sample : trajectory.samples) sample.bodies.resize(count);
  const Rows rows(file, trajectory);
  const auto read = [&](const char* name, Vec3 BodyMotion::*member) {
    rows.vectors(std::string("/bodies/") + name, count, &Sample::bodies, member);
  };
  read("position", &BodyMotion::x);
  read("velocity", &BodyMotion::v);
  read("acceleration", &BodyMotion::vdot);
  read("angular_velocity", &BodyMotion::Omega);
  read("angular_acceleration", &BodyMotion::Omegadot);
  read("reaction", &BodyMotion::reaction);
  const auto q = file.array("/bodies/quaternion_wxyz", {trajectory.samples.size(), count, 4});
  const double* at = q.data();
  for (Sample& sample : trajectory.samples)
    for (BodyMotion& body : sample.bodies) {
      body.R = SO3<>::from_wxyz(at[0], at[1], at[2], at[3]);
      at += 4;
    }
}

void read_nodes(const Hdf5Reader& file, const Scene& scene, Trajectory& trajectory) {
  std::vector<std::string> names;
  for (const Body& body : scene.mechanism.bodies)
    for (const ParticleNode& node : body.nodes) names.push_back(node.name);
  if (names.empty()) return;
  check_names(file, "/nodes/names", names);
  for (Sample& sample : trajectory.samples) sample.nodes.resize(names.size());
  const Rows rows(file, trajectory);
  rows.vectors("/nodes/position", names.size(), &Sample::nodes, &BodyMotion::x);
  rows.vectors("/nodes/velocity", names.size(), &Sample::nodes, &BodyMotion::v);
  rows.vectors("/nodes/acceleration", names.size(), &Sample::nodes, &BodyMotion::vdot);
  rows.vectors("/nodes/reaction", names.size(), &Sample::nodes, &BodyMotion::reaction);
}

/// Coordinates or rates of all joints side by side.
void read_stacked(const Hdf5Reader& file, const std::string& path, const Scene& scene, Trajectory& trajectory,
                  std::vector<std::string> (*labels)(JointKind), Vec JointMotion::*member) {
  std::size_t width = 0;
  for (const Joint& joint : scene.mechanism.joints) width += labels(joint.kind).size();
  const auto values = file.array(path, {trajectory.samples.size(), width});
  const double* at = values.data();
  for (Sample& sample : trajectory.samples)
    for (std::size_t k = 0; k < scene.mechanism.joints.size(); ++k) {
      const JointKind kind = scene.mechanism.joints[k].kind;
      const auto size = static_cast<Eigen::Index>(labels(kind).size());
      Vec& part = sample.joints[k].*member = Eigen::Map<const Vec>(at, size);
      const bool turns = kind == JointKind::spherical || kind == JointKind::free;
      if (turns && member == &JointMotion::q) std::rotate(part.end() - 4, part.end() - 3, part.end());
      at += size;
    }
}

void read_joints(const Hdf5Reader& file, const Scene& scene, Trajectory& trajectory) {
  const std::size_t count = scene.mechanism.joints.size();
  check_names(file, "/joints/names", names_of(scene.mechanism.joints));
  for (Sample& sample : trajectory.samples) sample.joints.resize(count);
  read_stacked(file, "/joints/coordinates", scene, trajectory, coordinate_labels, &JointMotion::q);
  read_stacked(file, "/joints/rates", scene, trajectory, rate_labels, &JointMotion::v);
  const Rows rows(file, trajectory);
  rows.vectors("/joints/force", count, &Sample::joints, &JointMotion::force);
  rows.vectors("/joints/torque", count, &Sample::joints, &JointMotion::torque);
}

/// How many multipliers each constraint has: their labels are "name.0", "name.1", ... in its order.
std::vector<std::size_t> multiplier_counts(const Hdf5Reader& file, const std::vector<std::string>& names) {
  const auto labels = file.strings("/constraints/multipliers_labels");
  std::vector<std::size_t> counts(names.size(), 0);
  auto label = labels.begin();
  for (std::size_t i = 0; i < names.size(); ++i)
    while (label != labels.end() && *label == fmt::format("{}.{}", names[i], counts[i])) ++label, ++counts[i];
  if (label != labels.end()) file.fail("is damaged at /constraints/multipliers_labels");
  return counts;
}

void read_constraints(const Hdf5Reader& file, const Scene& scene, Trajectory& trajectory) {
  const auto names = file.strings("/constraints/names");
  const auto all = names_of(scene.mechanism.constraints);
  if (names.size() > all.size() || !std::equal(names.begin(), names.end(), all.begin()))
    file.fail("is damaged at /constraints/names: not those of its scene");
  for (Sample& sample : trajectory.samples) sample.constraints.resize(names.size());
  const Rows rows(file, trajectory);
  rows.vectors("/constraints/force", names.size(), &Sample::constraints, &ConstraintMotion::force);
  rows.vectors("/constraints/torque", names.size(), &Sample::constraints, &ConstraintMotion::torque);
  const auto counts = multiplier_counts(file, names);
  std::size_t width = 0;
  for (const std::size_t count : counts) width += count;
  const std::size_t samples = trajectory.samples.size();
  const auto multipliers = file.array("/constraints/multipliers", {samples, width});
  const auto power = file.array("/constraints/power", {samples, names.size()});
  const double *at = multipliers.data(), *watts = power.data();
  for (Sample& sample : trajectory.samples)
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto size = static_cast<Eigen::Index>(counts[i]);
      sample.constraints[i].multipliers = Eigen::Map<const Vec>(at, size);
      sample.constraints[i].power = *watts++;
      at += size;
    }
}

void read_points(const Hdf5Reader& file, const Scene& scene, Trajectory& trajectory) {
  check_names(file, "/points/names", names_of(scene.points));
  for (Sample& sample : trajectory.samples) sample.points.resize(scene.points.size());
  const Rows rows(file, trajectory);
  rows.vectors("/points/position", scene.points.size(), &Sample::points, &PointMotion::x);
  rows.vectors("/points/velocity", scene.points.size(), &Sample::points, &PointMotion::v);
}

void read_invariants(const Hdf5Reader& file, Trajectory& trajectory) {
  const Rows rows(file, trajectory);
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

ChartTrajectory read_chart(const Hdf5Reader& file, const ChartScene& chart, const std::vector<double>& t) {
  ChartTrajectory trajectory;
  auto& samples = trajectory.samples;
  samples.resize(t.size());
  for (std::size_t i = 0; i < t.size(); ++i) samples[i].t = t[i];
  check_names(file, "/coordinates/names", chart.coordinates);
  check_names(file, "/quasi_velocities/names", chart.quasi_velocities);
  check_names(file, "/constraints/names", chart.constraints);
  const auto vectors = [&](const char* path, std::size_t width, const auto& member) {
    const auto values = file.array(path, {t.size(), width});
    for (std::size_t i = 0; i < t.size(); ++i)
      member(samples[i]) = Eigen::Map<const Vec>(values.data() + i * width, static_cast<Eigen::Index>(width));
  };
  const auto numbers = [&](const char* path, double ChartSample::*member) {
    const auto values = file.array(path, {t.size()});
    for (std::size_t i = 0; i < t.size(); ++i) samples[i].*member = values[i];
  };
  const std::size_t n = chart.coordinates.size();
  using One = ChartSample&;
  vectors("/coordinates/value", n, [](One at) -> Vec& { return at.x.q; });
  vectors("/coordinates/rate", n, [](One at) -> Vec& { return at.x.v; });
  vectors("/coordinates/acceleration", n, [](One at) -> Vec& { return at.a; });
  vectors("/quasi_velocities/value", chart.quasi_velocities.size(), [](One at) -> Vec& { return at.quasi; });
  vectors("/constraints/multipliers", chart.constraints.size(),
          [](One at) -> Vec& { return at.multipliers; });
  numbers("/invariants/kinetic", &ChartSample::kinetic);
  numbers("/invariants/potential", &ChartSample::potential);
  numbers("/invariants/work", &ChartSample::work);
  numbers("/invariants/position_residual", &ChartSample::position_residual);
  numbers("/invariants/velocity_residual", &ChartSample::velocity_residual);
  numbers("/invariants/acceleration_residual", &ChartSample::acceleration_residual);
  return trajectory;
}

Trajectory read_mechanism(const Hdf5Reader& file, const Scene& scene, const std::vector<double>& t) {
  Trajectory trajectory;
  trajectory.samples.resize(t.size());
  for (std::size_t i = 0; i < t.size(); ++i) trajectory.samples[i].t = t[i];
  read_bodies(file, scene, trajectory);
  read_nodes(file, scene, trajectory);
  read_joints(file, scene, trajectory);
  read_constraints(file, scene, trajectory);
  read_points(file, scene, trajectory);
  read_invariants(file, trajectory);
  return trajectory;
}

/// The summary as the facts have it; what they lack keeps its default.
template <class AnyTrajectory>
void read_summary(const StoredResult& result, AnyTrajectory& trajectory) {
  const auto number = [&](const char* name) {
    const Fact* fact = result.fact(name);
    const double* value = fact ? std::get_if<double>(&fact->value) : nullptr;
    return value ? *value : 0.;
  };
  const auto count = [&](const char* name) {
    const Fact* fact = result.fact(name);
    const long* value = fact ? std::get_if<long>(&fact->value) : nullptr;
    return value ? *value : 0L;
  };
  RunSummary& run = trajectory.summary;
  run.message = result.text("message");
  run.t = number("t");
  run.wall_s = number("wall_s");
  run.accepted = count("steps_accepted");
  run.rejected = count("steps_rejected");
  run.evaluations = count("evaluations");
  run.general_solutions = count("general_solutions");
  trajectory.energy_max_drift = number("energy_max_drift");
  trajectory.energy_drift_slope = number("energy_drift_slope");
}

Scene scene_of(const Hdf5Reader& file, const std::string& name) try {
  Scene scene = parse_scene(file.text("/scene"), name + ".toml");
  scene.name = name;
  return scene;
} catch (const SceneError& error) {
  file.fail(fmt::format("holds a scene that this version cannot read: {}", error.what()));
}

/// The one result in a folder, or the file itself.
fs::path result_file(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) return path;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(path, failure))
    if (entry.path().extension() == ".h5") found.push_back(entry.path());
  if (found.size() == 1) return found.front();
  throw ResultError(found.empty() ? fmt::format("{} holds no result: no .h5 file", path.string())
                                  : fmt::format("{} holds several results; name one of them", path.string()));
}

}  // namespace

StoredResult read_result(const fs::path& path) {
  StoredResult result;
  result.file = result_file(path);
  const Hdf5Reader file(result.file);
  result.facts = file.facts();
  const std::string format = result.text("format");
  if (format != "torsor/result/1")
    file.fail(format.empty() ? "is no result of torsor run: it names no format"
                             : fmt::format("has the format \"{:.40}\", not \"torsor/result/1\"", format));
  result.scene = scene_of(file, result.text("scene"));
  const std::size_t samples = file.rows("/time");
  if (samples == 0) file.fail("holds no samples");
  const std::vector<double> t = file.array("/time", {samples});
  for (std::size_t i = 0; i < samples; ++i)
    if (!std::isfinite(t[i]) || (i > 0 && t[i] < t[i - 1])) file.fail("is damaged at /time: times must rise");
  if (result.scene.chart)
    result.trajectory = read_chart(file, *result.scene.chart, t);
  else
    result.trajectory = read_mechanism(file, result.scene, t);
  std::visit([&](auto& trajectory) { read_summary(result, trajectory); }, result.trajectory);
  const auto names = file.strings("/events/names");
  const auto at = file.array("/events/time", {names.size()});
  for (std::size_t i = 0; i < names.size(); ++i) result.events.push_back({names[i], at[i]});
  return result;
}

const Fact* StoredResult::fact(std::string_view name) const {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& f) { return f.name == name; });
  return found == facts.end() ? nullptr : &*found;
}

std::string StoredResult::text(std::string_view name) const {
  const Fact* found = fact(name);
  if (!found) return {};
  return std::visit(
      []<class Value>(const Value& value) {
        if constexpr (std::is_same_v<Value, std::string>)
          return value;
        else
          return fmt::format("{}", value);
      },
      found->value);
}

}  // namespace torsor
