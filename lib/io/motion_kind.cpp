#include "motion_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "torsor/model/forces.hpp"

namespace torsor::io {
namespace {

std::vector<std::string> mass_centre_columns(const scene::Scene& scene) {
  std::vector<std::string> all;
  for (const Body& body : scene.mechanism.bodies)
    for (const char* axis : {".x", ".y", ".z"}) all.push_back("body." + body.name + axis);
  return all;
}

std::vector<double> mass_centres(const Sample& sample) {
  std::vector<double> all;
  for (const BodyMotion& body : sample.bodies) all.insert(all.end(), body.x.begin(), body.x.end());
  return all;
}

std::vector<std::string> quaternion_columns(const scene::Scene& scene) {
  std::vector<std::string> all;
  for (const Body& body : scene.mechanism.bodies)
    if (!body.particle)
      for (const char* component : {".qw", ".qx", ".qy", ".qz"})
        all.push_back("body." + body.name + component);
  return all;
}

std::vector<double> quaternions(const scene::Scene& scene, const Sample& sample) {
  std::vector<double> all;
  for (std::size_t i = 0; i < sample.bodies.size(); ++i) {
    if (scene.mechanism.bodies[i].particle) continue;
    double xyzw[4];
    sample.bodies[i].R.to(xyzw);
    all.insert(all.end(), {xyzw[3], xyzw[0], xyzw[1], xyzw[2]});
  }
  return all;
}

std::vector<std::string> no_columns(const scene::Scene&) { return {}; }
std::vector<double> no_attitudes(const scene::Scene&, const Sample&) { return {}; }

std::vector<std::string> coordinate_value_columns(const scene::Scene& scene) {
  std::vector<std::string> all;
  for (const std::string& name : scene.in_coordinates->coordinates)
    all.push_back("coordinate." + name + ".value");
  return all;
}

std::vector<double> coordinate_values(const Sample& sample) { return {sample.x.q.begin(), sample.x.q.end()}; }

std::vector<std::pair<std::string_view, std::string_view>> form_of_bodies(const scene::Scene& scene) {
  return {{"formulation", to_string(scene.formulation)}, {"group", to_string(scene.group)}};
}
std::vector<std::pair<std::string_view, std::string_view>> form_in_coordinates(const scene::Scene& scene) {
  return {{"equations", scene.in_coordinates->equations_name()}};
}

constexpr MotionKind kind_of_bodies{.in_coordinates = false,
                                    .form = form_of_bodies,
                                    .write_row = write_row_of_bodies,
                                    .write_end = write_end_of_bodies,
                                    .declare = declare_of_bodies,
                                    .read = read_of_bodies,
                                    .position_columns = mass_centre_columns,
                                    .positions = mass_centres,
                                    .attitude_columns = quaternion_columns,
                                    .attitudes = quaternions,
                                    .position_components = 3,
                                    .position_unit = "m",
                                    .drawn_bodies = drawn_bodies_of_bodies,
                                    .drawn_motions = drawn_motions_of_bodies,
                                    .drawn_columns = "",
                                    .contents = contents_of_bodies,
                                    .figures = figures_of_bodies,
                                    .html_end = html_end_of_bodies};

constexpr MotionKind kind_in_coordinates{.in_coordinates = true,
                                         .form = form_in_coordinates,
                                         .write_row = write_row_in_coordinates,
                                         .write_end = write_end_in_coordinates,
                                         .declare = declare_in_coordinates,
                                         .read = read_in_coordinates,
                                         .position_columns = coordinate_value_columns,
                                         .positions = coordinate_values,
                                         .attitude_columns = no_columns,
                                         .attitudes = no_attitudes,
                                         .position_components = 1,
                                         .position_unit = "",
                                         .drawn_bodies = drawn_bodies_in_coordinates,
                                         .drawn_motions = drawn_motions_in_coordinates,
                                         .drawn_columns = "coordinate.*.value",
                                         .contents = contents_in_coordinates,
                                         .figures = figures_in_coordinates,
                                         .html_end = html_end_in_coordinates};

}  // namespace

const MotionKind& motion_kind(const scene::Scene& scene) {
  return scene.in_coordinates ? kind_in_coordinates : kind_of_bodies;
}

void check_sample(const scene::Scene& scene, const Sample& sample) {
  const auto require = [&](std::string_view parts, auto of_sample, auto of_scene) {
    if (static_cast<std::size_t>(of_sample) != static_cast<std::size_t>(of_scene))
      throw std::invalid_argument(fmt::format(
          "the sample at t = {} does not belong to the scene \"{}\": its number of {} is {} instead of {}",
          sample.t, scene.name, parts, of_sample, of_scene));
  };
  if (const auto& described = scene.in_coordinates) {
    const std::size_t n = described->coordinates.size();
    require("coordinates", sample.x.q.size(), n);
    require("rates", sample.x.v.size(), n);
    require("accelerations", sample.a.size(), n);
    if (!described->quasi_velocities.empty()) require("quasi-velocities", sample.quasi_velocities.size(), n);
    require("multipliers", sample.multipliers.size(), described->constraints.size());
    return;
  }
  const Mechanism& mechanism = scene.mechanism;
  std::size_t nodes = 0;
  for (const Body& body : mechanism.bodies) nodes += body.nodes.size();
  require("bodies", sample.bodies.size(), mechanism.bodies.size());
  require("nodes", sample.nodes.size(), nodes);
  require("joints", sample.joints.size(), mechanism.joints.size());
  for (std::size_t i = 0; i < sample.joints.size(); ++i) {
    const JointMotion& motion = sample.joints[i];
    const JointType& type = joint_type(mechanism.joints[i].kind);
    require("coordinates of a joint", motion.q.size(), type.coordinates.size());
    require("rates of a joint", motion.v.size(), type.rates.size());
    require("accelerations of a joint", motion.a.size(), type.rates.size());
  }
  require("constraints", sample.constraints.size(), mechanism.constraints.size());
  require("forces of springs and joints", sample.forces.size(),
          std::count_if(mechanism.forces.begin(), mechanism.forces.end(),
                        [&](const Force& force) { return !scalar_unit(force, mechanism).empty(); }));
  require("own states", sample.states.size(), mechanism.states.size());
  require("points", sample.points.size(), scene.points.size());
}

void check_not_empty(const Trajectory& trajectory) {
  if (trajectory.samples.empty()) throw std::invalid_argument("the trajectory has no samples");
}

}  // namespace torsor::io
