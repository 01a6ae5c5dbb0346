#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "coordinate_scenes.hpp"

// The sleigh of Chaplygin with three connections. Its motion is the same with each and is compared with a
// closed form. The geometry of each connection is compared with sums over the structure coefficients of
// SE(2).
namespace torsor::test {
namespace {

const std::string sleigh_scene = "chaplygin_sleigh_connections";
constexpr int n = 3;  // ahead, aside, turn; or x, y, heading
constexpr double m = 1.5, J = 0.4, a = 0.3, s = 0.7;

using Three = std::array<std::array<std::array<double, n>, n>, n>;
using Four = std::array<Three, n>;

/// The structure coefficients c(k, i, j) of the sleigh's axes: [ahead, turn] = -aside, [aside, turn] = ahead.
Three brackets() {
  Three c{};
  c[1][0][2] = -1, c[1][2][0] = 1, c[0][1][2] = 1, c[0][2][1] = -1;
  return c;
}
Mat3 metric() {
  Mat3 g;
  g << m, 0, 0, 0, m, m * a, 0, m * a, J + m * a * a;
  return g;
}
/// Affinities of the Christoffel connection of a constant metric:
/// g_kl L(k, i, j) = (c_jli + c_ilj + c_lij) / 2, c_jli = g_jm c(m, l, i).
Three christoffel_of(const Three& c) {
  const Mat3 g = metric(), inverse = g.inverse();
  const auto lowered = [&](int k, int i, int j) {
    double sum = 0;
    for (int p = 0; p < n; ++p) sum += g(k, p) * c[p][i][j];
    return sum;
  };
  Three L{};
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int l = 0; l < n; ++l)
          L[k][i][j] += inverse(k, l) * (lowered(j, l, i) + lowered(i, l, j) + lowered(l, i, j)) / 2;
  return L;
}
/// Adds g^(l, j) sigma(k, i, j) to L(l, i, k), with sigma("ahead: aside, turn") = s.
Three with_sigma(Three L) {
  const Mat3 inverse = metric().inverse();
  for (int l = 0; l < n; ++l) L[l][1][0] += inverse(l, 2) * s, L[l][2][0] -= inverse(l, 1) * s;
  return L;
}

/// Torsion, curvature (i, j, k, l) and non-metricity (k, i, j) of affinities that are constant in the axes.
struct Geometry {
  Three torsion{}, non_metricity{};
  Four curvature{};
};
Geometry geometry_of(const Three& L) {
  const Three c = brackets();
  const Mat3 g = metric();
  Geometry all;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        all.torsion[k][i][j] = L[k][i][j] - L[k][j][i] - c[k][i][j];
        for (int p = 0; p < n; ++p) all.non_metricity[k][i][j] -= g(p, i) * L[p][k][j] + g(p, j) * L[p][k][i];
        for (int l = 0; l < n; ++l)  // R(k, i, j, l)
          for (int p = 0; p < n; ++p)
            all.curvature[k][i][j][l] +=
                L[k][j][p] * L[p][l][i] - L[k][l][p] * L[p][j][i] - c[p][j][l] * L[k][p][i];
      }
  return all;
}

/// The matrix B that maps rates to velocities in the axes. The columns of its inverse are the axes.
Mat3 axes(double heading) {
  Mat3 B;
  B << std::cos(heading), std::sin(heading), 0, -std::sin(heading), std::cos(heading), 0, 0, 0, 1;
  return B;
}

/// Compares every component that a report lists with the components in the axes.
void check_geometry(const CoordinateReport& report, const Geometry& expected, double heading) {
  const std::string names[] = {"x", "y", "heading"};
  const Mat3 B = axes(heading), E = B.inverse();
  const auto named = [&](const std::vector<NamedComponent>& list, const std::string& name, double value) {
    CAPTURE(name);
    CHECK(std::abs(component(list, name) - value) < 1e-12);
    return std::abs(value) > 1e-12 ? 1 : 0;
  };
  std::size_t torsion = 0, curvature = 0, non_metricity = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        double t = 0, D = 0;
        std::array<double, n> R{};
        for (int p = 0; p < n; ++p)
          for (int q = 0; q < n; ++q)
            for (int r = 0; r < n; ++r) {
              t += E(k, r) * expected.torsion[r][p][q] * B(p, i) * B(q, j);
              D += B(r, k) * B(p, i) * B(q, j) * expected.non_metricity[r][p][q];
              for (int l = 0; l < n; ++l)
                for (int u = 0; u < n; ++u)  // "i, j: k -> l"
                  R[l] += E(l, u) * expected.curvature[u][r][p][q] * B(r, k) * B(p, i) * B(q, j);
            }
        if (i < j) torsion += named(report.torsion, names[i] + ", " + names[j] + " -> " + names[k], t);
        if (i <= j)
          non_metricity += named(report.non_metricity, names[k] + ": " + names[i] + ", " + names[j], D);
        for (int l = 0; l < n && i < j; ++l)
          curvature +=
              named(report.curvature, names[i] + ", " + names[j] + ": " + names[k] + " -> " + names[l], R[l]);
      }
  CHECK(report.torsion.size() == torsion);
  CHECK(report.curvature.size() == curvature);
  CHECK(report.non_metricity.size() == non_metricity);
}

}  // namespace

TEST_CASE("three connections give the sleigh of Chaplygin the same motion, that of the closed form") {
  const Motion reference = run_coordinates(sleigh_scene, {{"chart.connection", "christoffel"}});
  const double I = J + m * a * a, greatest_u = std::sqrt(1.2 * 1.2 + I / m * 4),
               greatest_w = greatest_u * std::sqrt(m / I), rate = m * a * greatest_u / I,
               begin = std::atanh(1.2 / greatest_u);
  for (const char* connection : {"christoffel", "canonical-plus", "own"}) {
    CAPTURE(connection);
    scene::Overrides overrides;
    if (std::string(connection) != "own") overrides = {{"chart.connection", connection}};
    const Motion motion = run_coordinates(sleigh_scene, overrides);
    REQUIRE(motion.trajectory.samples.size() > 100);
    for (const Sample& one : motion.trajectory.samples) {
      const double phase = rate * one.t + begin;
      const Vec3 v(greatest_u * std::tanh(phase), 0, -greatest_w / std::cosh(phase));
      CHECK(difference(one.quasi_velocities, v) < 1e-9);
      const auto gudermannian = [](double x) { return 2 * std::atan(std::tanh(x / 2)); };
      CHECK(std::abs(one.x.q[2] + greatest_w / rate * (gudermannian(phase) - gudermannian(begin))) < 1e-9);
      // The force of the blade gives the mass centre its lateral acceleration: m (u w + a w').
      const double w_dot = -m * a / I * v[0] * v[2];
      CHECK(std::abs(one.multipliers[0] - m * (v[0] * v[2] + a * w_dot)) < 1e-8);
    }
    CHECK(difference(motion.last().x.q, reference.last().x.q) < 1e-9);
    CHECK(motion.trajectory.energy_max_drift < 1e-9);
  }
  // The scene with a body has the same motion.
  const scene::Scene bodies = scene::load_scene(scene_path("chaplygin_sleigh"));
  const scene::ReadyModel ready = make_model(bodies);
  const Sample end = run(ready.model, ready.start, bodies.run).samples.back();
  const Vec q = reference.last().x.q;
  CHECK(difference(Vec3(q[0] + a * std::cos(q[2]), q[1] + a * std::sin(q[2]), 0), end.bodies[0].x) < 1e-8);
}

TEST_CASE(
    "the torsion, curvature and non-metricity of the sleigh's connections follow from the structure "
    "coefficients") {
  const Three c = brackets(), Gamma = christoffel_of(c);
  const std::pair<const char*, Three> members[] = {
      {"christoffel", Gamma},
      {"canonical-plus", c},
      {"own", with_sigma(Gamma)},
      {R"({base = "canonical-plus", sigma = {"ahead: aside, turn" = "s"}})", with_sigma(c)}};
  for (const auto& [name, L] : members)
    for (const char* heading : {"0", "0.7"}) {
      CAPTURE(name);
      CAPTURE(heading);
      scene::Overrides overrides = {{"chart.start", std::string("[0.3, -0.2, ") + heading + "]"}};
      if (std::string(name) != "own") overrides.emplace_back("chart.connection", name);
      const CoordinateReport report = report_of(sleigh_scene, overrides);
      check_geometry(report, geometry_of(L), std::stod(heading));
      CHECK(report.weak < 1e-14);
      CHECK(report.constrained_weak < 1e-14);
      CHECK((report.strong < 1e-14) == (std::string(name) == "christoffel"));
    }
  const auto kinds = [](const CoordinateReport& report) {
    return std::array{!report.torsion.empty(), !report.curvature.empty(), !report.non_metricity.empty()};
  };
  CHECK(kinds(report_of(sleigh_scene, {{"chart.connection", "christoffel"}})) ==
        std::array{false, false, false});
  CHECK(kinds(report_of(sleigh_scene, {{"chart.connection", "canonical-plus"}})) ==
        std::array{true, false, true});
  CHECK(kinds(report_of(sleigh_scene)) == std::array{true, true, true});
}

}  // namespace torsor::test
