#include <doctest/doctest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "coordinate_scenes.hpp"
#include "torsor/report/geometry_report.hpp"

// Spherical motion and a rigid body in space: the same motion in different geometries, against
// theory_checks.json.
namespace torsor::test {
namespace {

const std::string angles[] = {"phi", "theta", "psi"};

void check_affinities(const CoordinateReport& report, const json& table) {
  const auto L = tensor3<3>(table);
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        CHECK(component(report.affinities, angles[i] + ", " + angles[j] + " -> " + angles[k]) ==
              doctest::Approx(L(k, i, j)).epsilon(1e-12));
}

}  // namespace

TEST_CASE("spherical motion: both connections in coordinates and a body on SO(3) give the same motion") {
  const Motion christoffel = run_coordinates("spherical_motion_313"),
               canonical = run_coordinates("spherical_motion_313_canonical");
  CHECK(difference(christoffel.last().x.q, canonical.last().x.q) < 1e-9);
  CHECK(difference(christoffel.last().x.v, canonical.last().x.v) < 1e-9);
  CHECK(christoffel.trajectory.energy_max_drift < 1e-10);

  const scene::Scene body = scene::load_scene(scene_path("spherical_motion_body"));
  const scene::ReadyModel ready = make_model(body);
  const Sample end = run(ready.model, ready.start, body.run).samples.back();
  const Vec& q = christoffel.last().x.q;
  using Eigen::AngleAxisd, Eigen::Vector3d;
  const Eigen::Quaterniond R = AngleAxisd(q[0], Vector3d::UnitZ()) * AngleAxisd(q[1], Vector3d::UnitX()) *
                               AngleAxisd(q[2], Vector3d::UnitZ());
  double xyzw[4];
  end.bodies[0].R.to(xyzw);
  CHECK(std::abs(R.coeffs().dot(Eigen::Map<const Eigen::Vector4d>(xyzw))) ==
        doctest::Approx(1).epsilon(1e-14));
  CHECK(difference(christoffel.last().quasi_velocities, end.bodies[0].Omega) < 1e-9);
}

TEST_CASE(
    "spherical motion on SO(3): geodesic and exponential steps give the same motion in different "
    "geometries") {
  const auto last = [](const char* name) {
    const scene::Scene scene = scene::load_scene(scene_path(name));
    const scene::ReadyModel ready = make_model(scene);
    return run(ready.model, ready.start, scene.run).samples.back();
  };
  const Sample exponentials = last("spherical_motion_body"),
               geodesics = last("spherical_motion_body_geodesics");
  CHECK(difference(geodesics.bodies[0].Omega, exponentials.bodies[0].Omega) < 1e-9);
  CHECK((geodesics.bodies[0].R.inverse() * exponentials.bodies[0].R).log().norm() < 1e-9);

  const auto connection = [](const char* name) {
    const scene::Scene scene = scene::load_scene(scene_path(name));
    const scene::ReadyModel ready = make_model(scene);
    return geometry_report(ready.model, 0, ready.start, scene.run).connections.at(0);
  };
  const ConnectionReport canonical = connection("spherical_motion_body"),
                         christoffel = connection("spherical_motion_body_geodesics");
  CHECK(std::abs(canonical.torsion.value) == 1);
  CHECK(canonical.curvature.value == 0);
  CHECK(std::abs(canonical.non_metricity.value) == doctest::Approx(1.7 - 0.9));
  CHECK(christoffel.torsion.value == 0);
  CHECK(christoffel.non_metricity.value == 0);
  const double I = 1.7, J = 0.9;  // R(1, 2, 2, 1) by the formula of principal inertias
  CHECK(std::abs(christoffel.curvature.value) ==
        doctest::Approx(std::abs((I - I + J) * (-I + I + J) / (4 * J * I) - (I + I - J) / (2 * I))));
}

TEST_CASE(
    "a rigid body on the direct and the semi-direct product has the same motion by different equations") {
  const scene::Scene direct = scene::load_scene(scene_path("spatial_body_direct")),
                     semidirect = scene::load_scene(scene_path("spatial_body_semidirect"));
  const scene::ReadyModel on_product = make_model(direct), on_SE3 = scene::make_model(semidirect);
  const Sample a = run(on_product.model, on_product.start, direct.run).samples.back(),
               b = run(on_SE3.model, on_SE3.start, semidirect.run).samples.back();
  CHECK(difference(a.bodies[0].x, b.bodies[0].x) < 1e-9);
  CHECK(difference(a.bodies[0].v, b.bodies[0].v) < 1e-9);
  CHECK(difference(a.bodies[0].Omega, b.bodies[0].Omega) < 1e-9);
  CHECK((a.bodies[0].R.inverse() * b.bodies[0].R).log().norm() < 1e-9);
  // The linear velocity of the system is in world axes on R^3 x SO(3) and in body axes on SE(3).
  const auto V = [](const Vec3& v, const BodyMotion& motion) { return Vec3(motion.R.inverse() * v); };
  CHECK(difference(Vec3(a.x.v.head<3>()), a.bodies[0].v) < 1e-12);
  CHECK(difference(Vec3(b.x.v.head<3>()), V(b.bodies[0].v, b.bodies[0])) < 1e-12);
  CHECK(difference(Vec3(a.x.v.head<3>()), Vec3(b.x.v.head<3>())) > 0.1);

  const GeometryReport line = geometry_report(on_product.model, 0, on_product.start, direct.run),
                       screw = geometry_report(on_SE3.model, 0, on_SE3.start, semidirect.run);
  CHECK(line.groups[0].group == "R^3 x SO(3)");
  CHECK(screw.groups[0].group == "SE(3)");
  CHECK(line.groups[0].brackets.size() == 3);  // 6 and 18 nonzero structure coefficients, half of them listed
  CHECK(screw.groups[0].brackets.size() == 9);
  CHECK(std::abs(line.connections[0].non_metricity.value) == doctest::Approx(1.9 - 0.8));
  CHECK(std::abs(screw.connections[0].non_metricity.value) == doctest::Approx(2));  // the mass
  for (const GeometryReport* report : {&line, &screw}) CHECK(report->connections[0].weak < 1e-14);
}

TEST_CASE("spherical motion: the reported geometries agree with the tables") {
  const json& table = reference("euler313.axisymmetric");
  const Motion start = run_coordinates("spherical_motion_313", {{"run.end", "0.1"}});
  const Vec3 bias = vector<3>(table.at("bias"));
  CHECK(difference(matrix<3>(table.at("G")) * start.first().a, -bias) < 1e-12);

  const CoordinateReport levi_civita = report_of("spherical_motion_313");
  check_affinities(levi_civita, table.at("christoffel"));
  CHECK(levi_civita.torsion.empty());
  CHECK(levi_civita.non_metricity.empty());
  CHECK(levi_civita.weak == 0);
  int listed = 0;
  for (const json& row : table.at("R_list")) {
    const auto index = [&](std::size_t place) { return row.at(place).get<int>() - 1; };
    const int i = index(0), j = index(1), k = index(2), l = index(3);
    if (k > l) continue;
    ++listed;
    CHECK(component(levi_civita.curvature,
                    angles[k] + ", " + angles[l] + ": " + angles[j] + " -> " + angles[i]) ==
          doctest::Approx(row.at(4).get<double>()).epsilon(1e-12));
  }
  CHECK(levi_civita.curvature.size() == static_cast<std::size_t>(listed));

  const CoordinateReport canonical = report_of("spherical_motion_313_canonical");
  check_affinities(canonical, table.at("canonical"));
  CHECK(canonical.curvature.empty());
  CHECK(canonical.weak < 1e-12);
  CHECK(canonical.strong > 0.1);
  const auto D = tensor3<3>(table.at("canonical_Dg"));
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j)
        CHECK(component(canonical.non_metricity, angles[k] + ": " + angles[i] + ", " + angles[j]) ==
              doctest::Approx(D(k, i, j)).epsilon(1e-12));
  CHECK(component(canonical.brackets, "w1, w2 -> w3") == doctest::Approx(1));
  CHECK(canonical.brackets.size() == 3);
  CHECK(canonical.time.removable);
}

}  // namespace torsor::test
