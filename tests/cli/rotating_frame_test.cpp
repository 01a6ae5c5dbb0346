#include <doctest/doctest.h>

#include <cmath>

#include "coordinate_scenes.hpp"
#include "torsor/coordinates/run.hpp"

// Scenes in coordinates of a rotating frame, against reference solutions and their laws.
namespace torsor::test {
namespace {

/// The greatest difference of coordinates, rates and energy from tests/reference/<scene>.json.
double distance_from_reference(const std::string& name) {
  const json file = json::parse(std::ifstream(TORSOR_TESTS "/reference/" + name + ".json"));
  json times = json::array();
  for (const json& output : file.at("outputs")) times.push_back(output.at("t"));
  const Motion motion = run_coordinates(name, {{"integrator.tolerance", "1e-12"},
                                               {"run.end", times.back().dump()},
                                               {"run.output", times.back().dump()},
                                               {"run.output_times", times.dump()}});
  const auto& samples = motion.trajectory.samples;
  REQUIRE(samples.size() == times.size() + 1);
  double most = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const json& output = file.at("outputs")[i];
    const Sample& sample = samples[i + 1];
    CHECK(sample.t == output.at("t").get<double>());
    Eigen::Index k = 0;
    for (const auto& [coordinate, value] : output.at("coordinates").items()) {  // in alphabetical order
      const double rate = output.at("rates").at(coordinate);
      most = greatest(most, sample.x.q[k] - value.get<double>(), sample.x.v[k] - rate);
      ++k;
    }
    most = greatest(most, sample.invariants.energy() - output.at("energy").get<double>());
  }
  return most;
}

TEST_CASE(
    "a particle on a rotating torus reaches its reference and keeps Jacobi's integral, not its energy") {
  CHECK(distance_from_reference("particle_on_torus") < 1e-9);
  const json file = json::parse(std::ifstream(TORSOR_TESTS "/reference/particle_on_torus.json"));
  const double integral = file.at("parameters").at("jacobi_integral");
  const Motion motion = run_coordinates("particle_on_torus", {{"run.output", "0.1"}});
  const double m = 1.3, g = 9.81, R = 1, r = 0.4, Omega = 1.5;
  double change = 0;
  for (const Sample& sample : motion.trajectory.samples) {
    const double u = sample.x.q[0], w = sample.x.q[1], rho = R + r * std::cos(w);
    const double speed = std::hypot(rho * sample.x.v[0], r * sample.x.v[1]);
    const double from_axis = std::hypot(r * std::sin(w), rho * std::cos(u));
    CHECK(
        greatest(m * (speed * speed / 2 + g * rho * std::sin(u) - Omega * Omega * from_axis * from_axis / 2) -
                 integral) < 1e-9);
    change = greatest(change, sample.invariants.energy() - motion.first().invariants.energy());
  }
  CHECK(change > 5);
  CHECK(motion.trajectory.energy_max_drift < 1e-9);  // besides the work of the torus
}

}  // namespace
}  // namespace torsor::test
