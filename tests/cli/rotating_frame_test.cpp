#include <doctest/doctest.h>

#include <cmath>
#include <fstream>

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
  CHECK(motion.trajectory.energy_max_drift < 1e-9);  // the work of the torus is subtracted
}

/// The angle by which the plane of Foucault's pendulum turns in one day. `amplitude` is the amplitude of the
/// swing divided by the length, and a day has `swings` swings. The direction of the swing oscillates within
/// each swing, so its mean over four swings is taken.
double turn_of_swing(double amplitude, int swings) {
  constexpr int samples_per_swing = 16, mean_over = 4 * samples_per_swing;
  const double day = 2 * M_PI * swings, Omega = 1. / swings, sine = std::sin(48.85 * M_PI / 180);
  const auto text = [](double x) { return json(x).dump(); };
  const Motion motion =
      run_coordinates("foucault_pendulum", {{"chart.definitions.amplitude", text(amplitude)},
                                            {"chart.definitions.day", text(day)},
                                            {"run.end", text(day + 8 * M_PI)},
                                            {"run.output", text(2 * M_PI / samples_per_swing)}});
  std::vector<double> angles;
  for (const Sample& sample : motion.trajectory.samples) {
    const Vec &q = sample.x.q, &v = sample.x.v;
    const double x = q[0], y = q[1], x_dot = v[0] - Omega * sine * y, y_dot = v[1] + Omega * sine * x;
    // The long axis of the ellipse x = Re(a exp(i t)) of a linear oscillator, from -pi/2 to pi/2
    const double angle =
        std::atan2(2 * (x * y + x_dot * y_dot), x * x - y * y + x_dot * x_dot - y_dot * y_dot) / 2;
    angles.push_back(angles.empty() ? angle : angles.back() + std::remainder(angle - angles.back(), M_PI));
  }
  const auto mean = [&](int from) {
    double sum = 0;
    for (int k = 0; k <= mean_over; ++k) {
      const double weight = (1 - std::cos(2 * M_PI * k / mean_over)) / mean_over;
      sum += weight * angles.at(static_cast<std::size_t>(from + k));
    }
    return sum;
  };
  return mean(samples_per_swing * swings) - mean(0);
}

// With the sine s and cosine c of the latitude and the amplitude A, the plane turns in one day by
// -2 pi s + 3/64 A^2 c^2/s (2 pi - sin(4 pi s)/(2 s)). The second term arises because the centrifugal force
// makes the swing a narrow ellipse, and the ellipse of a pendulum precesses. Further terms are of order eps^2
// and A^2 eps, where eps is the ratio of the rates of planet and pendulum.
TEST_CASE(
    "Foucault's pendulum turns by -2 pi sin(latitude) in a day, up to amplitude^2 and the ratio of the "
    "rates") {
  CHECK(distance_from_reference("foucault_pendulum") < 1e-9);
  const double sine = std::sin(48.85 * M_PI / 180), parallel_transport = -2 * M_PI * sine;
  const auto of_amplitude = [&](double A) {
    return 3 / 64. * A * A * (1 / sine - sine) * (2 * M_PI - std::sin(4 * M_PI * sine) / (2 * sine));
  };
  const double coarse = turn_of_swing(0.1, 32) - parallel_transport;
  const double fine = turn_of_swing(0.05, 64) - parallel_transport;
  CHECK(greatest(coarse) < 2e-3);
  CHECK(coarse / fine == doctest::Approx(4).epsilon(0.08));  // both ratios are halved
  CHECK(greatest(coarse - of_amplitude(0.1)) < 2e-4);
  CHECK(greatest(fine - of_amplitude(0.05)) < 2e-5);
}

}  // namespace
}  // namespace torsor::test
