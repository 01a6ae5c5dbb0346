#include <doctest/doctest.h>

#include "geometry_report.hpp"

namespace torsor::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE(
    "geometry of a heavy top reports SO(3) of the pivot, a screw axis through the pivot and a "
    "second fundamental form without tangential part") {
  const WorkFolder folder;
  const Outcome text = torsor(folder.path, {"geometry", "heavy_top_bruls"});
  CHECK(text.code == 0);
  CHECK(text.err.empty());
  for (const char* part : {"pivot          SO(3)", "[turn x, turn y] = turn z", "scleronomic",
                           "Parallel transport", "Reactions"})
    CHECK(has(text.out, part));
  const json top = geometry({"heavy_top_bruls", "--at", "0.5"});
  CHECK(top.at("t") == 0.5);
  CHECK(top.at("groups").at("pivot").at("structure_coefficients").at("turn x, turn y -> turn z") == 1);
  CHECK(top.at("connections").at("top").at("metric") == false);
  CHECK(top.at("time").at("scleronomic") == true);
  CHECK(double(top.at("second_fundamental_form").at("tangential")) < 1e-10);
  // The axis runs through the pivot at the origin, so the position of its point is parallel to its direction.
  const json& screw = top.at("screws").at("top");
  const std::vector<double> p = screw.at("semidirect").at("point"), d = screw.at("direction");
  CHECK(std::abs(p[0] * d[1] - p[1] * d[0]) < 1e-9);
  CHECK(std::abs(p[1] * d[2] - p[2] * d[1]) < 1e-9);
  CHECK(screw.at("in_use") == "exp of SO(3)");
  const json& turn = top.at("transport").at("top");
  CHECK(double(turn.at("duration")) * double(screw.at("turn")) == doctest::Approx(2 * std::acos(-1.)));
  CHECK(double(turn.at("christoffel")) < 2 * std::acos(-1.));
}

TEST_CASE(
    "geometry of geodesic steps reports Christoffel's connection and the rate at which the velocity leaves "
    "the axis") {
  const WorkFolder folder;
  const Outcome text = torsor(folder.path, {"geometry", "heavy_top_geodesics"});
  for (const char* part :
       {"generalized Christoffel", "Geodesics through the present velocities", "top   SO(3)"})
    CHECK(has(text.out, part));
  CHECK_FALSE(has(text.out, "canonical (+)"));
  const json top = geometry({"heavy_top_geodesics"}), &connection = top.at("connections").at("top");
  CHECK(connection.at("connection") == "christoffel");
  CHECK(connection.at("group") == "SO(3)");
  CHECK(connection.at("torsion").at("value") == 0);
  CHECK(connection.at("non_metricity").at("value") == 0);
  CHECK(connection.at("curvature").at("value") != 0);
  CHECK(connection.at("weak_residual") == 0);
  // I = (5.8, 6.8, 1.5) about the pivot, Omega = (0.2, 0.1, 20).
  const std::vector<double> along = top.at("screws").at("top").at("geodesic").at("Omega_dot");
  CHECK(along[0] == doctest::Approx((6.8 - 1.5) * 0.1 * 20 / 5.8));
  CHECK(along[1] == doctest::Approx((1.5 - 5.8) * 0.2 * 20 / 6.8));
  CHECK(top.at("screws").at("top").at("in_use") == "geodesic");
  CHECK(geometry({"heavy_top_slow"}).at("connections").at("top").at("connection") == "canonical (+)");
}

TEST_CASE(
    "geometry reports the canonical connection that the scene names, and says if it does not give the "
    "motion") {
  const WorkFolder folder;
  const auto with = [&](const char* name) {
    return torsor(folder.path,
                  {"geometry", "heavy_top_bruls", "--set", std::string("integrator.connection=") + name});
  };
  const char* const sentence = "the accelerations come\n  from the canonical (+) connection";
  CHECK(has(with("canonical-minus").out, "left-invariant canonical (-), greatest components"));
  CHECK(has(with("canonical-minus").out, sentence));
  CHECK(has(with("canonical-zero").out, sentence));
  CHECK_FALSE(has(with("canonical").out, sentence));
  const Outcome wrong = with("christoffel");
  CHECK(wrong.code == 3);
  CHECK(has(wrong.err, "cannot be \"christoffel\" with"));
  const json zero = geometry({"heavy_top_bruls", "--set", "integrator.connection=canonical-zero"})
                        .at("connections")
                        .at("top");
  CHECK(zero.at("connection") == "canonical (0)");
  CHECK(zero.at("torsion").at("value") == 0);
  CHECK(zero.at("weak_residual") > 0.1);
  // Also where the moments of inertia are small beside the mass.
  const std::vector<std::string> tiny = {"free_rigid_body", "--set", "integrator.connection=canonical-minus",
                                         "--set", "body.body.inertia=[8e-11, 1.3e-10, 1.9e-10]"};
  CHECK(geometry(tiny).at("connections").at("body").at("weak_residual") > 0.1);
}

TEST_CASE("geometry under joints reports the residuals of the bodies' connection in all allowed directions") {
  const json bent = geometry({"chain3_spherical"}).at("second_fundamental_form");
  CHECK(double(bent.at("weak_residual")) < 1e-14);
  CHECK(bent.at("strong_residual") > 1e-3);
  CHECK(bent.at("directions") == 9);
  CHECK(bent.at("sampled") == false);
  const WorkFolder folder;
  CHECK(has(torsor(folder.path, {"geometry", "chain3_spherical"}).out,
            "weak 0: the connection in use gives the constrained motion"));
}

TEST_CASE("geometry prints the values of a mechanism however small they are, and rounding as 0") {
  const WorkFolder folder;
  folder.write("bead.toml", R"toml([run]
end = 1
[[body]]
name = "bead"
mass = 1e-9
inertia = [1e-18, 2e-18, 2.5e-18]
velocity_world = [0, 2e-13, 0]
angular_velocity_body = [0, 0, 3e-14]
[[constraint]]
name = "spin"
kind = "spin"
body = "bead"
direction = [0, 0, 1]
value = 3e-14
)toml");
  const Outcome bead = torsor(folder.path, {"geometry", "bead.toml"});
  CHECK(bead.code == 0);
  for (const char* part : {"1.5e-18 (turn", "3e-14", "0 2e-13 0", "-3e-14", "2.5e-18"}) {
    CAPTURE(part);
    CHECK(has(bead.out, part));
  }
  const std::string falling = torsor(folder.path, {"geometry", "falling_cat"}).out;
  CHECK(has(falling, "spine .. bend_y  0 0 0            0 0 0         0 0 0                0 0 0"));
}

TEST_CASE(
    "rigid systems of particles: check prints the class, geometry splits velocities and forces into three "
    "parts") {
  const WorkFolder folder;
  const auto told = [&](const char* verb, const char* scene) {
    return torsor(folder.path, {verb, scene}).out;
  };
  CHECK(has(told("check", "dumbbell_rigid"), "dumbbell         2      line  S^2       1.11803 0 0"));
  CHECK(has(told("check", "dumbbell_rigid"), "dumbbell  3          0 1.5 1.5\n"));
  CHECK(has(told("check", "triangle_rigid"), "plane  SO(3)"));
  CHECK(has(told("check", "ten_particles_rigid"), "10     space  SO(3)"));
  CHECK(has(told("geometry", "dumbbell_rigid"), "line: R^3 x S^2, degenerate"));
  CHECK(has(told("geometry", "triangle_rigid"), "plane: R^3 x SO(3), weakly non-degenerate"));
  CHECK(has(told("geometry", "tetrahedron_rigid"), "space: R^3 x SO(3) of O(3), strongly non-degenerate"));
  const json rod = geometry({"dumbbell_rigid"}).at("rigid_particles").at("dumbbell");
  CHECK(double(rod.at("kinetic_energy").at("centre")) == doctest::Approx(5.925));
  CHECK(double(rod.at("kinetic_energy").at("rotation")) == doctest::Approx(4.875));
  // The reaction acts along the rod. It balances the rest of the force, which changes neither
  // the motion of the centre nor the rotation, and gives the centripetal acceleration.
  const std::vector<double> R = rod.at("reaction").at("p0"), rest = rod.at("force").at("p0").at("rest");
  const std::vector<double> turn = rod.at("velocity").at("p0").at("rotation");
  CHECK(R[0] == doctest::Approx((turn[1] * turn[1] + turn[2] * turn[2]) - rest[0]));
  CHECK(std::hypot(R[1], R[2]) < 1e-12);
}

TEST_CASE("check and geometry state the class of each inertia with its principal moments and unique axes") {
  const WorkFolder folder;
  const auto lines = [](std::string text) {  // with single spaces
    std::string short_text;
    for (const char c : text)
      if (c != ' ' || short_text.empty() || short_text.back() != ' ') short_text += c;
    return short_text;
  };
  const std::pair<const char*, const char*> expected[] = {
      {"dumbbell_rigid", "dumbbell symmetric, degenerate 0 1.5 1.5 1 0 0; any perpendicular to it"},
      {"tetrahedron_rigid", "tetrahedron asymmetric 1.24"},
      {"heavy_top_bruls", "top symmetric 0.234375 0.234375 0.46875 0 1 0; any perpendicular to it"},
      {"chain10_spherical", "rod0 .. rod9 symmetric 0.00166667 0.0841667 0.0841667 1 0 0; any perpendicular"},
      {"sphere_on_turntable_constant", "sphere spherical 0.004 0.004 0.004 any"}};
  for (const char* verb : {"check", "geometry"})
    for (const auto& [scene, row] : expected) {
      CAPTURE(verb);
      CAPTURE(scene);
      CHECK(has(lines(torsor(folder.path, {verb, scene}).out), row));
    }
  CHECK(has(lines(torsor(folder.path, {"check", "chain10_spherical", "--all"}).out), "rod9 symmetric"));
  CHECK_FALSE(has(torsor(folder.path, {"check", "ten_particles"}).out, "principal axes"));

  const json helix = geometry({"ten_particles_rigid"}).at("inertia").at("helix");
  CHECK(helix.at("class") == "asymmetric");
  Eigen::Matrix3d axes, J;
  for (int k = 0; k < 3; ++k) axes.col(k) = vector(helix.at("axes").at(std::size_t(k)));
  J = axes * vector(helix.at("moments")).asDiagonal() * axes.transpose();
  Eigen::Matrix3d expected_J;  // as `check` prints it
  expected_J << 16.7841, 0.327297, 0.366195, 0.327297, 16.7783, -0.870641, 0.366195, -0.870641, 5.07826;
  CHECK(greatest(J - expected_J) < 1e-4);
  CHECK(axes.determinant() == doctest::Approx(1));
  CHECK(geometry({"dumbbell_rigid"}).at("inertia").at("dumbbell").at("degenerate") == true);
}

TEST_CASE("geometry tells where the canonical (0) connection is the Christoffel connection") {
  const WorkFolder folder;
  const auto text = [&](const char* scene) { return torsor(folder.path, {"geometry", scene}).out; };
  CHECK(has(text("sphere_on_turntable_constant"), "  is the Christoffel connection"));
  CHECK(has(text("heavy_top_bruls"), "from the Christoffel connection"));
  CHECK_FALSE(has(text("heavy_top_bruls"), "  is the Christoffel connection"));
  CHECK_FALSE(has(text("ten_particles"), "bi-invariant"));
  const json ball = geometry({"sphere_on_turntable_constant"}).at("connections").at("sphere").at("rotations");
  CHECK(ball.at("zero_is_levi_civita") == true);
  CHECK(double(ball.at("distance")) < 1e-15);
  const json top = geometry({"heavy_top_bruls"}).at("connections").at("top").at("rotations");
  CHECK(top.at("zero_is_levi_civita") == false);
  CHECK(double(top.at("multiple")) == doctest::Approx((2 * 15.234375 + 0.46875) / 3));  // about the pivot
}

TEST_CASE("six equal particles on the axes are a spherical system with a bi-invariant kinetic metric") {
  const WorkFolder folder;
  std::string text =
      "schema = \"torsor/scene/1\"\n[run]\nend = \"1 s\"\n[integrator]\nmethod = \"rkmk4\"\nstep = \"1 "
      "ms\"\n";
  const char* const places[] = {"[1, 0, 0]",  "[-1, 0, 0]", "[0, 1, 0]",
                                "[0, -1, 0]", "[0, 0, 1]",  "[0, 0, -1]"};
  for (int i = 0; i < 6; ++i)
    text += "[[particle]]\nname = \"p" + std::to_string(i) + "\"\nmass = \"2 kg\"\nposition = " + places[i] +
            "\n";
  text +=
      "[[rigid_particles]]\nname = \"octahedron\"\nnodes = [\"p0\", \"p1\", \"p2\", \"p3\", \"p4\", "
      "\"p5\"]\n";
  folder.write("octahedron.toml", text);
  CHECK(has(torsor(folder.path, {"check", "octahedron.toml"}).out, "octahedron  spherical  8 8 8"));
  const Outcome all = torsor(folder.path, {"geometry", "octahedron.toml", "--json"});
  REQUIRE(all.code == 0);
  const json told = json::parse(all.out);
  CHECK(told.at("inertia").at("octahedron").at("class") == "spherical");
  CHECK(told.at("connections").at("octahedron").at("rotations").at("multiple") == 8);
  CHECK(told.at("connections").at("octahedron").at("rotations").at("zero_is_levi_civita") == true);
}

TEST_CASE("geometry of a rolling disk names its nonholonomic rows") {
  const json disk = geometry({"rolling_disk_exact"});
  std::map<std::string, std::string> levels;
  for (const json& row : disk.at("constraints")) levels[row.at("row")] = row.at("level");
  const std::map<std::string, std::string> expected = {
      {"gap", "holonomic"}, {"slip 1", "nonholonomic"}, {"slip 2", "nonholonomic"}, {"upright", "holonomic"}};
  CHECK(levels == expected);
  // The centre runs on a circle of radius 1.25 m at 1 m/s; this acceleration is the whole second
  // fundamental form.
  const std::vector<double> N = disk.at("second_fundamental_form").at("bodies").at("disk").at("linear");
  CHECK(N[1] == doctest::Approx(0.8));
  const WorkFolder folder;
  const Outcome viscous = torsor(folder.path, {"geometry", "rolling_disk_viscous_1e-2"});
  CHECK(has(viscous.out, "nonholonomic, gives way to friction"));
}

TEST_CASE("geometry prints the slip and its expansion in eps; if a row has an offset, only the slip") {
  const WorkFolder folder;
  const auto printed = [&](const std::string& velocity) {
    return torsor(folder.path, {"geometry", "curved_sleigh_viscous", "--set",
                                "chart.constraint.blade.velocity=" + velocity})
        .out;
  };
  CHECK(has(printed("aside"),
            "A v = eps sigma_1 + ...\n  slip A v          0\n  sigma_1, sigma_2  -0.566526, "));
  CHECK(printed("aside + 0.3").ends_with("\nFriction\n  slip A v + a0  0.3\n"));
}

/// The indices of the coordinates in a name such as "phi, theta -> psi"; time comes last.
std::vector<int> places(const std::string& component, const std::vector<std::string>& coordinates) {
  std::vector<int> all;
  std::string word;
  for (const char c : component + ' ') {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      word += c;
    } else if (!word.empty()) {
      all.push_back(
          static_cast<int>(std::find(coordinates.begin(), coordinates.end(), word) - coordinates.begin()));
      word.clear();
    }
  }
  return all;
}

TEST_CASE("geometry of a scene with a Lagrangian says that it has no metric, and reports the frame") {
  const WorkFolder folder;
  const Outcome text = torsor(folder.path, {"geometry", "magnetic_bottle"});
  CHECK(text.code == 0);
  CHECK(has(text.out, "a scene with \"lagrangian\" gives no metric"));
  for (const char* part : {"affinities", "S1", "NaN", "nan"}) CHECK_FALSE(has(text.out, part));
  const json bottle = geometry({"magnetic_bottle"});
  CHECK(bottle.at("frame").at("velocities").at("phi'") == 2);
  for (const char* key : {"connection", "time", "second_fundamental_form"}) CHECK_FALSE(bottle.contains(key));
}

TEST_CASE("components of a system in coordinates that the JSON omits follow by the documented symmetries") {
  for (const char* scene : {"spherical_motion_313", "spherical_motion_313_canonical"}) {
    CAPTURE(scene);
    const json connection = geometry({scene}).at("connection");
    const std::vector<std::string> names = {"phi", "theta", "psi", "t"};
    const int n = 4;
    std::map<std::vector<int>, double> L, T, R;
    for (const auto& [name, value] : connection.at("affinities").items()) L[places(name, names)] = value;
    for (const auto& [name, value] : connection.at("torsion").items()) {
      const auto at = places(name, names);
      REQUIRE(at.size() == 3);
      CHECK(at[0] < at[1]);
      T[at] = value, T[{at[1], at[0], at[2]}] = -value.get<double>();
    }
    for (const auto& [name, value] : connection.at("curvature").items()) {
      const auto at = places(name, names);
      REQUIRE(at.size() == 4);
      CHECK(at[0] < at[1]);
      R[at] = value, R[{at[1], at[0], at[2], at[3]}] = -value.get<double>();
    }
    for (const auto& [name, value] : connection.at("non_metricity").items())
      CHECK(places(name, names)[1] <= places(name, names)[2]);
    // The affinities are listed in full. With the omitted halves of torsion and curvature filled in,
    // torsion is the antisymmetric part of the affinities, and the first Bianchi identity holds where
    // torsion vanishes.
    const bool twisted = !T.empty();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          CHECK(std::abs(T[{i, j, k}] - (L[{i, j, k}] - L[{j, i, k}])) < 1e-12);
          for (int d = 0; d < n && !twisted; ++d)
            CHECK(std::abs(R[{i, j, k, d}] + R[{j, k, i, d}] + R[{k, i, j, d}]) < 1e-12);
        }
    CHECK(twisted == R.empty());
  }
}

TEST_CASE("geometry gives the residuals under constraints only if friction does not replace every row") {
  CHECK(geometry({"curved_sleigh"}).at("connection").contains("constrained_strong_residual"));
  CHECK_FALSE(geometry({"curved_sleigh_viscous"}).at("connection").contains("constrained_strong_residual"));
}

TEST_CASE("geometry of a chain of 100 rods shortens its tables and counts the omitted lines") {
  const WorkFolder folder;
  std::string text = read_text(std::filesystem::path(TORSOR_SCENES) / "chain10_spherical.toml");
  const auto replace = [&](const std::string& what, const std::string& by) {
    const auto at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), by);
  };
  replace("repeat = 10", "repeat = 100"), replace("repeat = 9", "repeat = 99"), replace("rod9", "rod99");
  folder.write("chain100.toml", text);
  const Outcome table = torsor(folder.path, {"geometry", "chain100.toml"});
  CHECK(table.code == 0);
  CHECK(has(table.out, "joint_0 .. joint_99"));
  CHECK(has(table.out, "more lines: --json has all"));
  const Outcome all = torsor(folder.path, {"geometry", "chain100.toml", "--json"});
  const json chain = json::parse(all.out);
  CHECK(chain.at("second_fundamental_form").at("bodies").size() == 100);
  CHECK(double(chain.at("second_fundamental_form").at("tangential")) < 1e-9);
}

TEST_CASE("geometry accepts every shipped scene and fails with the usual exit codes") {
  const WorkFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(TORSOR_SCENES)) {
    if (entry.is_directory()) continue;  // the folder of studies
    CAPTURE(entry.path().string());
    CHECK(torsor(folder.path, {"geometry", entry.path().string()}).code == 0);
  }
  CHECK(torsor(folder.path, {"geometry"}).code == 2);
  for (const auto& [time, why] :
       {std::pair("-1", "--at: -1 is before the start of the scene, t = 0 s"),
        std::pair("1e-20", "--at: 1e-20 is too close to the start of the scene, t = 0 s: the least step"),
        std::pair("inf", "--at: inf is not a finite number"),
        std::pair("nan", "--at: nan is not a finite number"),
        std::pair("soon", "--at: expected a number, got soon")}) {
    CAPTURE(time);
    const Outcome refused = torsor(folder.path, {"geometry", "heavy_top_bruls", "--at", time});
    CHECK(refused.code == 2);
    CHECK(has(refused.err, why));
  }
  CHECK(torsor(folder.path, {"geometry", "nosuch"}).code == 3);
  CHECK(torsor(folder.path, {"geometry", "heavy_top_bruls", "--set", "body.top.mass=-1"}).code == 3);
  const Outcome fails = torsor(
      folder.path, {"geometry", "heavy_top_bruls", "--at", "1", "--set", "integrator.tolerance=1e-16"});
  CHECK(fails.code != 0);
  CHECK(fails.out.empty());
}

}  // namespace
}  // namespace torsor::test
