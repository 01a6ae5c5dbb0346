#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/greatest.hpp"

namespace torsor::test {

using nlohmann::json;

/// tests/reference/<scene>.json: motions computed independently of this library (torsor-reference/1).
inline json reference(const std::string& scene) {
  std::ifstream file(std::string(TORSOR_TESTS) + "/reference/" + scene + ".json");
  if (!file) throw std::runtime_error("no reference of " + scene);
  return json::parse(file);
}

/// The key of the command's JSON object for each key of a reference output. With one body, its state is at
/// the top of a reference output; with several, each is under its name. `joint_0`, `joint_1`, ... are the
/// joints of those names.
inline const std::map<std::string, std::string> body_keys = {{"x", "x"},
                                                             {"v", "v"},
                                                             {"q", "q"},
                                                             {"R_rows", "q"},
                                                             {"Omega", "Omega"},
                                                             {"vdot", "vdot"},
                                                             {"Omegadot", "Omegadot"}};
inline const std::map<std::string, std::string> other_keys = {{"lambda_world", "/joints/pivot/force"},
                                                              {"lambda_body", "/joints/pivot/force"},
                                                              {"energy", "/energy/final"},
                                                              {"angular_momentum", "/momentum/angular"},
                                                              {"angular_momentum_world", "/momentum/angular"},
                                                              {"tip", "/points/tip/x"},
                                                              {"B0", "/points/B0/x"},
                                                              {"B0dot", "/points/B0/v"},
                                                              {"thetadot", "/bodies/link0/Omega/2"}};

/// Keys whose numbers are computed from the entries of constraints (contact, rod, blade, ...), joints and
/// particles: reactions.
using FromResult = json (*)(const json& result);
inline json multiplier(const json& result, const std::string& constraint) {
  return result.at("constraints").at(constraint).at("multiplier").at(0);
}
inline json force(const json& result, const char* kind, const char* name) {
  return result.at(kind).at(name).at("force");
}
inline json rods(const json& result) {
  json tensions = json::array();
  for (int k = 0; result.at("constraints").contains("rod" + std::to_string(k)); ++k)
    tensions.push_back(-multiplier(result, "rod" + std::to_string(k)).get<double>());
  return tensions;
}
/// The forces of the rods on each particle p0, p1, ...
inline json node_reactions(const json& result) {
  json all = json::array();
  for (int k = 0; result.at("bodies").contains("p" + std::to_string(k)); ++k)
    all.push_back(result.at("bodies").at("p" + std::to_string(k)).at("reaction"));
  return all;
}
inline const std::map<std::string, FromResult> composed_keys = {
    {"tension", [](const json& r) { return json(-multiplier(r, "rod").get<double>()); }},
    {"contact_force",
     [](const json& r) {
       const json f = force(r, "constraints", "contact");
       return json{f[2], f[0], f[1]};
     }},
    {"friction_force_xy",
     [](const json& r) {
       const json f = force(r, "constraints", "contact");
       return json{f[0], f[1]};
     }},
    {"blade_force", [](const json& r) { return multiplier(r, "blade"); }},
    {"constraint_torque_body_3", [](const json& r) { return multiplier(r, "no_spin"); }},
    {"driving_torque", [](const json& r) { return multiplier(r, "drive"); }},
    {"A", [](const json& r) { return force(r, "joints", "A"); }},
    {"B", [](const json& r) { return force(r, "joints", "B"); }},
    {"C", [](const json& r) { return force(r, "joints", "C"); }},
    {"D", [](const json& r) { return force(r, "joints", "D"); }},
    {"skid_force", [](const json& r) { return multiplier(r, "skid"); }},
    {"wheel_loads",
     [](const json& r) {
       return json{multiplier(r, "left_contact"), multiplier(r, "right_contact")};
     }},
    {"rod_tensions", rods},
    {"node_reactions", node_reactions}};

inline Eigen::Quaterniond quaternion(const json& wxyz) {
  return {wxyz[0].get<double>(), wxyz[1].get<double>(), wxyz[2].get<double>(), wxyz[3].get<double>()};
}
inline Eigen::Vector3d vector(const json& xyz) {
  return {xyz[0].get<double>(), xyz[1].get<double>(), xyz[2].get<double>()};
}

/// Greatest |value - expected| / max(1, |expected|) over the numbers of both, NaN where one is not finite.
/// A vector of two numbers is a vector in a plane with third component zero.
inline double difference(const json& value, const json& expected) {
  if (expected.is_number()) {
    const double error = greatest(value.get<double>() - expected.get<double>());
    return error / greatest(1, expected.get<double>());
  }
  if (value.size() == 3 && expected.size() == 2) return difference(value, json{expected[0], expected[1], 0});
  if (value.size() != expected.size()) throw std::runtime_error("sizes differ");
  double most = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) most = greatest(most, difference(value[i], expected[i]));
  return most;
}

/// The difference of one key of a body's state from the reference; quaternions up to their sign.
inline double body_difference(const std::string& key, const json& body, const json& expected) {
  const json& value = body.at(body_keys.at(key));
  if (key == "q") {
    json negative = value;
    for (auto& number : negative) number = -number.get<double>();
    return std::min(difference(value, expected), difference(negative, expected));
  }
  if (key == "R_rows") {
    const Eigen::Matrix3d R = quaternion(value).toRotationMatrix();
    json rows = json::array();
    for (int i = 0; i < 3; ++i) rows.push_back({R(i, 0), R(i, 1), R(i, 2)});
    return difference(rows, expected);
  }
  return difference(value, expected);
}

/// The prefixes of names in the command's "states": for own states, and for sampled values.
inline const std::map<std::string, std::string> state_keys = {{"states", "state."}, {"sampled", "sampled."}};

/// The difference between the end of a run, as its JSON object, and one output of a reference file, for
/// each reference key. A key that is missing in the tables is an error, so no key is left unchecked.
inline std::map<std::string, double> differences(const json& result, const json& output) {
  std::map<std::string, double> all;
  for (const auto& [key, expected] : output.items()) {
    if (key == "t") continue;
    if (const auto word = state_keys.find(key); word != state_keys.end()) {
      for (const auto& [name, number] : expected.items())
        all[key + "." + name] = difference(result.at("states").at(word->second + name), number);
    } else if (expected.is_object()) {
      for (const auto& [part, numbers] : expected.items())
        all[key + "." + part] = body_difference(part, result.at("bodies").at(key), numbers);
    } else if (body_keys.count(key) > 0) {
      all[key] = body_difference(key, result.at("bodies").front(), expected);
    } else if (const auto composed = composed_keys.find(key); composed != composed_keys.end()) {
      all[key] = difference(composed->second(result), expected);
    } else if (key.starts_with("joint_")) {
      all[key] = difference(result.at("joints").at(key).at("force"), expected);
    } else if (key == "lambda_body") {
      const Eigen::Vector3d force = vector(result.at(json::json_pointer(other_keys.at(key))));
      const Eigen::Vector3d in_body = quaternion(result.at("bodies").front().at("q")).conjugate() * force;
      all[key] = difference({in_body[0], in_body[1], in_body[2]}, expected);
    } else {
      all[key] = difference(result.at(json::json_pointer(other_keys.at(key))), expected);
    }
  }
  return all;
}

struct ReferenceScene {
  const char* name;
  double step;  ///< step size at which the methods of order 4 reach an error of 1e-6, s
};

/// The scenes whose reference lists states over time; the steady precessions have a closed form.
inline const std::vector<ReferenceScene> reference_scenes = {{"free_rigid_body", 5e-3},
                                                             {"dzhanibekov", 5e-3},
                                                             {"so3_geodesic", 5e-3},
                                                             {"heavy_top_bruls", 5e-5},
                                                             {"heavy_top_slow", 5e-4},
                                                             {"lagrange_top", 5e-4},
                                                             {"satellite_gravity_gradient", 2e-3},
                                                             {"satellite_libration", 5e-3},
                                                             {"double_pendulum_planar", 5e-4},
                                                             {"universal_double", 5e-4},
                                                             {"chain3_spherical", 5e-4},
                                                             {"chain10_spherical", 5e-4},
                                                             {"gyrostat_in_gimbal", 1e-3}};

struct ConstrainedScene {
  const char* name;
  double last;  ///< the last reference time that is checked, s
};

/// The scenes with constraints. Chains of four-bars are checked before their first singular configuration, at
/// t = 0.71 s with two and 0.72 s with forty four-bars; later times have their own tests.
inline const std::vector<ConstrainedScene> constrained_scenes = {{"simple_pendulum", 10},
                                                                 {"spherical_pendulum_moving_support", 10},
                                                                 {"kapitza_inverted", 5},
                                                                 {"sphere_on_turntable_constant", 10},
                                                                 {"rolling_disk_exact", 10},
                                                                 {"rolling_disk_torque", 10},
                                                                 {"rolling_disk_viscous_1e-1", 10},
                                                                 {"rolling_disk_viscous_1e-2", 10},
                                                                 {"rolling_disk_viscous_1e-3", 10},
                                                                 {"chaplygin_sleigh", 10},
                                                                 {"suslov", 20},
                                                                 {"ball_on_incline", 5},
                                                                 {"n_fourbar_2", 0.5},
                                                                 {"n_fourbar_40", 0.3},
                                                                 {"fourbar_driven", 5},
                                                                 {"dumbbell_particles", 10},
                                                                 {"triangle_particles", 10},
                                                                 {"rattleback", 3},
                                                                 {"satellite_reaction_wheel", 10},
                                                                 {"two_wheeled_cart", 10},
                                                                 {"falling_cat", 0.5}};

struct FeedbackScene {
  const char* name;
  double owed;  ///< the allowed error of a run at tolerance 1e-10
};

/// The scenes with feedback. The wheels of the satellite have 1/100 to 1/200 of its inertia. The angular
/// momentum is constant, so an error of the satellite's angular velocity changes their rates by 100 to 200
/// times as much.
inline const std::vector<FeedbackScene> feedback_scenes = {{"cart_pole_lqr", 1e-10},
                                                           {"quadcopter_attitude", 1e-10},
                                                           {"satellite_wheel_control", 1e-7},
                                                           {"position_drive_pid", 1e-10},
                                                           {"cart_follows_path", 1e-9}};

/// The allowed error of a run at tolerance 1e-12: 1e-9, and 1e-7 where the motion is chaotic.
inline double owed(const std::string& scene, double t) {
  return scene == "satellite_gravity_gradient" && t > 10 ? 1e-7 : 1e-9;
}

}  // namespace torsor::test
