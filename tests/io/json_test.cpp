#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "sample_result.hpp"
#include "torsor/io/results.hpp"

namespace torsor::test {
namespace {

using nlohmann::json;

std::set<std::string> keys(const json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}
Vec3 vector(const json& array) {
  return Vec3(array[0].get<double>(), array[1].get<double>(), array[2].get<double>());
}

TEST_CASE("the JSON object has the keys that scripts use") {
  const json object = json::parse(io::to_json(sample_scene(), sample_trajectory()));
  CHECK(keys(object) == std::set<std::string>{"status",      "scene",  "version",     "method",
                                              "formulation", "group",  "step",        "t",
                                              "bodies",      "joints", "forces",      "energy",
                                              "momentum",    "points", "constraints", "residuals",
                                              "events",      "steps",  "evaluations", "general_solutions",
                                              "wall_s"});
  CHECK(keys(object["bodies"]["top"]) == std::set<std::string>{"x", "v", "q", "Omega", "vdot", "Omegadot"});
  for (const char* particle : {"bead", "knot"})
    CHECK(keys(object["bodies"][particle]) == std::set<std::string>{"x", "v", "vdot", "force", "reaction"});
  CHECK(keys(object["joints"]["pivot"]) ==
        std::set<std::string>{"coordinates", "rates", "accelerations", "force", "torque"});
  CHECK(keys(object["forces"]) == std::set<std::string>{"pull", "motor"});
  CHECK(keys(object["joints"]["pivot"]["coordinates"]) == std::set<std::string>{"qw", "qx", "qy", "qz"});
  CHECK(keys(object["joints"]["hinge"]["rates"]) == std::set<std::string>{"angle_rate"});
  CHECK(keys(object["energy"]) == std::set<std::string>{"initial", "final", "work", "max_drift"});
  CHECK(keys(object["momentum"]) == std::set<std::string>{"linear", "angular"});
  CHECK(keys(object["points"]["tip"]) == std::set<std::string>{"x", "v"});
  CHECK(keys(object["constraints"]["rod"]) ==
        std::set<std::string>{"force", "torque", "multiplier", "power"});
  CHECK(keys(object["constraints"]["contact"]) ==
        std::set<std::string>{"force", "torque", "multiplier", "power", "unique"});
  CHECK(keys(object["residuals"]) == std::set<std::string>{"position", "velocity", "acceleration"});
  CHECK(keys(object["steps"]) == std::set<std::string>{"accepted", "rejected"});
}

TEST_CASE("the JSON object has the notes of the run and of the scene") {
  scene::Scene scene = sample_scene();
  Trajectory trajectory = sample_trajectory();
  trajectory.summary.note = "the tolerance was not reached";
  scene.notes = {"the quaternion was normalised"};
  CHECK(json::parse(io::to_json(scene, trajectory)).at("notes") ==
        "the tolerance was not reached; the quaternion was normalised");
}

TEST_CASE("the JSON object holds the last sample with every digit") {
  const Trajectory trajectory = sample_trajectory();
  const Sample& last = trajectory.samples.back();
  const json object = json::parse(io::to_json(sample_scene(), trajectory));
  const json& top = object["bodies"]["top"];
  CHECK(object["t"] == 0.2);
  CHECK(vector(top["x"]) == last.bodies[0].x);
  CHECK(vector(top["v"]) == last.bodies[0].v);
  CHECK(vector(top["vdot"]) == last.bodies[0].vdot);
  CHECK(vector(object["bodies"]["bead"]["reaction"]) == last.bodies[1].reaction);
  const json& knot = object["bodies"]["knot"];
  CHECK(vector(knot["v"]) == last.nodes[0].v);
  CHECK(vector(knot["reaction"]) == last.nodes[0].reaction);
  CHECK(vector(knot["force"]) == Vec3(0.5 * last.nodes[0].vdot - last.nodes[0].reaction));
  CHECK(vector(top["Omega"]) == last.bodies[0].Omega);
  CHECK(vector(top["Omegadot"]) == last.bodies[0].Omegadot);
  double xyzw[4];
  last.bodies[0].R.to(xyzw);
  CHECK(top["q"] == json{xyzw[3], xyzw[0], xyzw[1], xyzw[2]});
  CHECK(object["joints"]["pivot"]["accelerations"]["Omegadot_y"] == last.joints[0].a[1]);
  CHECK(object["joints"]["hinge"]["accelerations"]["angle_acceleration"] == last.joints[1].a[0]);
  CHECK(object["forces"]["motor"] == last.forces[1]);
  CHECK(vector(object["joints"]["hinge"]["torque"]) == last.joints[1].torque);
  CHECK(object["joints"]["hinge"]["coordinates"] == json{{"angle", last.joints[1].q[0]}});
  CHECK(object["joints"]["hinge"]["rates"] == json{{"angle_rate", last.joints[1].v[0]}});
  const json& pivot = object["joints"]["pivot"];
  CHECK(pivot["coordinates"] == json{{"qw", 4}, {"qx", 1}, {"qy", 2}, {"qz", 3}});
  CHECK(pivot["rates"]["Omega_y"] == last.joints[0].v[1]);
  CHECK(vector(object["constraints"]["rod"]["force"]) == last.constraints[0].force);
  CHECK(vector(object["constraints"]["contact"]["torque"]) == last.constraints[1].torque);
  CHECK(object["constraints"]["rod"]["multiplier"] == json::array({last.constraints[0].multipliers[0]}));
  CHECK(vector(object["constraints"]["contact"]["multiplier"]) == last.constraints[1].multipliers);
  CHECK(object["constraints"]["contact"]["power"] == last.constraints[1].power);
  CHECK(object["constraints"]["contact"]["unique"] == false);
  CHECK(vector(object["points"]["tip"]["v"]) == last.points[0].v);
  CHECK(object["energy"]["initial"] == trajectory.samples.front().invariants.energy());
  CHECK(object["energy"]["final"] == last.invariants.energy());
  CHECK(vector(object["momentum"]["angular"]) == last.invariants.angular_momentum);
  CHECK(object["events"] == json::array({{{"name", "touch"}, {"t", 1. / 3}}}));
}

TEST_CASE("residuals are the greatest of the whole run") {
  Trajectory trajectory = sample_trajectory();
  const auto residuals = [&] { return json::parse(io::to_json(sample_scene(), trajectory))["residuals"]; };
  CHECK(residuals()["position"] == 2e-13);      // of the constraints, at the end
  CHECK(residuals()["velocity"] == 1e-12);      // in the middle
  CHECK(residuals()["acceleration"] == 2e-15);  // at the end
  trajectory.samples[0].invariants.group_defect = 3e-13;
  CHECK(residuals()["position"] == 3e-13);  // of a quaternion, at the start
  // If a residual is NaN at one sample, the greatest residual is unknown.
  for (double Invariants::*one :
       {&Invariants::position_residual, &Invariants::velocity_residual, &Invariants::acceleration_residual})
    trajectory.samples[1].invariants.*one = std::numeric_limits<double>::quiet_NaN();
  for (const char* name : {"position", "velocity", "acceleration"}) CHECK(residuals()[name].is_null());
}

TEST_CASE("the tolerance is given where there is one, and a failed run gives its reason") {
  scene::Scene scene = sample_scene();
  scene.run.step.reset();
  scene.run.tolerance = 1e-9;
  Trajectory trajectory = sample_trajectory();
  trajectory.summary.status = StepStatus::non_finite;
  trajectory.summary.message = "a \"quoted\"\nreason \\ here";
  const json object = json::parse(io::to_json(scene, trajectory));
  CHECK(object["tolerance"] == 1e-9);
  CHECK_FALSE(object.contains("step"));
  CHECK(object["status"] == "non-finite");
  CHECK(object["message"] == trajectory.summary.message);
}

TEST_CASE("numbers that are not finite are null, so that the object is valid JSON") {
  Trajectory trajectory = sample_trajectory();
  trajectory.samples.back().bodies[0].x[1] = std::numeric_limits<double>::quiet_NaN();
  trajectory.samples.back().bodies[0].x[2] = -std::numeric_limits<double>::infinity();
  const json object = json::parse(io::to_json(sample_scene(), trajectory));
  CHECK(object["bodies"]["top"]["x"][1].is_null());
  CHECK(object["bodies"]["top"]["x"][2].is_null());
}

TEST_CASE("a trajectory without samples, or of another scene, has no JSON object") {
  CHECK_THROWS_WITH_AS(io::to_json(sample_scene(), Trajectory()), "the trajectory has no samples",
                       std::invalid_argument);
  scene::Scene larger = sample_scene();
  larger.mechanism.bodies.push_back({"third"});
  CHECK_THROWS_WITH_AS(
      io::to_json(larger, sample_trajectory(1)),
      "the sample at t = 0 does not belong to the scene \"sample\": its number of bodies is 2 instead of 3",
      std::invalid_argument);
}

}  // namespace
}  // namespace torsor::test
