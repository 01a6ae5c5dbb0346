#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <complex>

#include "reference_run.hpp"

namespace torsor::test {
namespace {

using Complex = std::complex<double>;
using Eigenvalues = std::array<Complex, 4>;

/// The angles of lean and steer, and their rates: the linear equations of the upright motion are x' = A x
/// with this x. The lean is the angle between the axis of the rear wheel and the ground plane.
Eigen::Vector4d lean_and_steer(const json& state) {
  const json& frame = state.at("bodies").at("rear_frame");
  const Eigen::Matrix3d R = quaternion(frame.at("q")).toRotationMatrix();
  const Eigen::Vector3d Omega = vector(frame.at("Omega"));
  const double lean = std::asin(R(2, 1));
  const double lean_rate = R.row(2).dot(Omega.cross(Eigen::Vector3d::UnitY())) / std::cos(lean);
  const json& steering = state.at("joints").at("steering");
  return {lean, steering.at("coordinates").at("angle"), lean_rate, steering.at("rates").at("angle_rate")};
}

/// Eigenvalues of A (1/s), sorted by real and then imaginary part, from a motion with samples at equal times:
/// the least squares solution of x(t + dt) = exp(A dt) x(t).
Eigenvalues fitted_eigenvalues(double speed, double roll, const char* formulation) {
  constexpr int samples = 300;
  constexpr double dt = 0.01;  // s
  std::vector<double> times;
  for (int i = 1; i <= samples; ++i) times.push_back(i * dt);
  const scene::Scene scene =
      scene::load_scene(scene_path("whipple_bicycle"), {{"definitions.v", std::to_string(speed)},
                                                        {"definitions.roll", std::to_string(roll)},
                                                        {"integrator.tolerance", "1e-12"},
                                                        {"integrator.formulation", formulation}});
  Eigen::Matrix4Xd x(4, samples);
  const auto states = states_at(scene, times);
  for (int i = 0; i < samples; ++i) x.col(i) = lean_and_steer(states[static_cast<std::size_t>(i)]);
  const Eigen::Matrix4d step = x.leftCols(samples - 1)
                                   .transpose()
                                   .colPivHouseholderQr()
                                   .solve(x.rightCols(samples - 1).transpose())
                                   .transpose();
  const Eigen::Vector4cd values = step.eigenvalues();
  Eigenvalues all;
  for (int i = 0; i < 4; ++i) all[static_cast<std::size_t>(i)] = std::log(values[i]) / dt;
  std::sort(all.begin(), all.end(), [](Complex a, Complex b) {
    return std::pair(std::round(a.real() * 1e3), a.imag()) < std::pair(std::round(b.real() * 1e3), b.imag());
  });
  return all;
}

double distance(const Eigenvalues& a, const Eigenvalues& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = greatest(most, std::abs(a[i] - b[i]));
  return most;
}

// Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007), table 2, at 5 m/s.
const Eigenvalues published = {-14.0783896927982, Complex(-0.775341882195845, -4.46486771378823),
                               Complex(-0.775341882195845, 4.46486771378823), -0.322866429004087};

TEST_CASE(
    "eigenvalues of Whipple's bicycle converge to the published ones as the square of the disturbance") {
  for (const char* formulation : {"tree", "absolute"}) {
    CAPTURE(formulation);
    const Eigenvalues whole = fitted_eigenvalues(5, 0.02, formulation),
                      half = fitted_eigenvalues(5, 0.01, formulation);
    const double ratio = distance(whole, published) / distance(half, published);
    CHECK(ratio > 3.95);
    CHECK(ratio < 4.05);
    Eigenvalues limit;
    for (std::size_t i = 0; i < limit.size(); ++i) limit[i] = (4. * half[i] - whole[i]) / 3.;
    CHECK(distance(limit, published) <= 2e-7);
  }
}

// The expected eigenvalue is that of the linear equations of the same paper.
TEST_CASE("the weave of the bicycle at 4.6 m/s has the damping and frequency of the linear equations") {
  const Eigenvalues whole = fitted_eigenvalues(4.6, 0.02, "tree"),
                    half = fitted_eigenvalues(4.6, 0.01, "tree");
  CHECK(std::abs((4. * half[3] - whole[3]) / 3. - Complex(-0.377966, 3.872842)) <= 1e-6);
}

}  // namespace
}  // namespace torsor::test
