#include <doctest/doctest.h>
#include <fmt/format.h>

#include "geometry_report.hpp"
#include "support/contains.hpp"

namespace torsor::test {
namespace {

TEST_CASE("geometry of a rheonomic scene reports the constraints that depend on time, S1 and S2") {
  const json ball = geometry({"sphere_on_turntable_constant"});
  CHECK(ball.at("time").at("scleronomic") == false);
  CHECK(ball.at("time").at("constraints") == json::array({"contact"}));
  CHECK(double(ball.at("time").at("S1")) < 1e-9);
  CHECK(double(ball.at("time").at("S2")) == doctest::Approx(14 / std::sqrt(1.4)));
  CHECK(ball.at("constraints").at(2).at("offset") == -3.5);

  const json bob = geometry({"spherical_pendulum_moving_support", "--at", "0.4"});
  CHECK(bob.at("time").at("scleronomic") == false);
  CHECK(bob.at("time").at("S1") > 0.01);
  CHECK(bob.at("time").at("S2") > 0.01);
}

TEST_CASE("a function of the state counts as a function of t only if it contains t") {
  const WorkFolder folder;
  const std::string head =
      "[run]\nend = 1\n[[body]]\nname = \"b\"\nmass = 1\ninertia = [0.1, 0.2, 0.3]\n[[force]]\nname = "
      "\"pull\"\nkind = \"body-force\"\nbody = \"b\"\nforce = [\"";
  const std::string row =
      "\", 0, 0]\n[[constraint]]\nname = \"row\"\nkind = \"velocity\"\nterm = [{kind = \"point-velocity\", "
      "body = "
      "\"b\", direction = [0, 0, 1]}]\nvalue = \"";
  const auto told = [&](const std::string& force, const std::string& value) {
    folder.write("scene.toml", head + force + row + value + "\"\n");
    const json report = json::parse(torsor(folder.path, {"geometry", "--json", "scene.toml"}).out);
    CHECK(report.at("time").at("constraints") == json::array({"row"}));
    return std::pair(report.at("time").at("forces"), report.at("constraints").at(0).at("rheonomic"));
  };
  const auto with_t = told("sin(t)*body.b.position.x", "sin(t)*body.b.position.x");
  CHECK(with_t.first == json::array({"pull"}));
  CHECK(with_t.second == true);
  const auto without = told("-body.b.position.x", "body.b.position.x");
  CHECK(without.first.empty());
  CHECK(without.second == false);
}

TEST_CASE("S1 here and nearby are relative to the same metric, that of the directions that rows allow") {
  const WorkFolder folder;
  folder.write("bead.toml",
               "schema = \"torsor/scene/1\"\n[run]\nend = 1\n[chart]\ncoordinates = [\"x\", \"y\"]\n"
               "start = [0.3, 0]\nrates = [0.2, 0]\nmetric = [[\"exp(t)\", 0], [0, 100]]\n"
               "constraint = [{name = \"line\", position = \"y\"}]\n");
  CHECK(contains(torsor(folder.path, {"geometry", "bead.toml"}).out,
                 "S1         1 here relative to the metric, up to 1 nearby"));
}

TEST_CASE("geometry gives no verdict on time where the constraints leave no velocity free") {
  CHECK_FALSE(geometry({"fourbar_driven"}).at("time").contains("scleronomic"));
  const WorkFolder folder;
  CHECK(contains(torsor(folder.path, {"geometry", "fourbar_driven"}).out,
                 "none: the constraints leave no velocity free"));
  folder.write("driven.toml",
               "schema = \"torsor/scene/1\"\n[run]\nend = 1\n[chart]\ncoordinates = [\"x\"]\nstart = [0]\n"
               "rates = [1]\nmetric = [[1]]\nconstraint = [{name = \"drive\", position = \"x - sin(t)\"}]\n");
  CHECK(contains(torsor(folder.path, {"geometry", "driven.toml"}).out,
                 "none: the constraints leave no velocity free"));
  const json time = json::parse(torsor(folder.path, {"geometry", "--json", "driven.toml"}).out).at("time");
  CHECK_FALSE(time.contains("scleronomic"));
  CHECK(time.at("causes") == json::array({"drive"}));
}

json report_of(const std::string& scene) {
  const WorkFolder folder;
  folder.write("scene.toml", scene);
  return json::parse(torsor(folder.path, {"geometry", "--json", "scene.toml"}).out);
}

/// A body of a mechanism with the given size (m); its inertia is J times the square of the size.
std::string sized_body(const std::string& name, double mass, double J, double size) {
  return fmt::format("[[body]]\nname = \"{0}\"\nmass = {1}\ninertia = [{2}, {2}, {2}]\n", name, mass,
                     J * size * size);
}

/// A hub that a drive turns about the axis z, and the data of bodies on it.
std::string driven_hub(double size, const std::string& bodies) {
  return "run = {end = 1}\nintegrator = {consistent = \"project\"}\n" + sized_body("hub", 1, 0.1, size) +
         bodies +
         "[[joint]]\nname = \"h\"\nkind = \"revolute\"\nchild = \"hub\"\nrates = 2\n"
         "[[constraint]]\nname = \"d\"\nkind = \"driver\"\njoint = \"h\"\nvalue = \"2*t\"\n";
}

/// Two slides on a hub that turns, with a rod between them, of the given size (m).
std::string slides_on_hub(double size) {
  return driven_hub(size, sized_body("a", 1, 0.01, size) + sized_body("b", 2, 0.01, size)) +
         fmt::format(
             "[[joint]]\nname = \"ja\"\nkind = \"prismatic\"\nparent = \"hub\"\nchild = \"a\"\n"
             "axis = [1, 0, 0]\ncoordinates = {}\nrates = {}\n"
             "[[joint]]\nname = \"jb\"\nkind = \"prismatic\"\nparent = \"hub\"\nchild = \"b\"\n"
             "axis = [0.3, 1, 0]\ncoordinates = {}\n"
             "[[constraint]]\nname = \"rod\"\nkind = \"distance\"\nfrom = {{body = \"a\"}}\n"
             "to = {{body = \"b\"}}\nlength = \"{}*(1 + 0.1*sin(t))\"\n",
             0.6 * size, 0.1 * size, 0.8 * size, size);
}

TEST_CASE("S1 does not depend on the size of a mechanism, and S2 is proportional to it") {
  const json one = report_of(slides_on_hub(1)).at("time");
  CHECK(double(one.at("S1")) == doctest::Approx(0.406034).epsilon(1e-5));
  for (const double size : {1e-6, 1e-3, 1e-2, 0.3, 1e4, 1e7}) {
    CAPTURE(size);
    const json time = report_of(slides_on_hub(size)).at("time");
    CHECK(double(time.at("S1")) == doctest::Approx(double(one.at("S1"))).epsilon(1e-8));
    CHECK(double(time.at("S2")) == doctest::Approx(size * double(one.at("S2"))).epsilon(1e-8));
  }
}

/// A bead at the axis of a turning line, beside a body that a rod holds, of the given size (m).
std::string bead_and_rod(double size, const std::string& more) {
  return driven_hub(size, sized_body("bead", 1, 0.01, size) + sized_body("a", 1, 0.1, size)) +
         fmt::format(
             "[[joint]]\nname = \"p\"\nkind = \"prismatic\"\nparent = \"hub\"\nchild = \"bead\"\n"
             "axis = [1, 0, 0]\n[[joint]]\nname = \"j\"\nkind = \"planar\"\nchild = \"a\"\n"
             "coordinates = [{}, {}, 0.3]\n"
             "[[constraint]]\nname = \"rod\"\nkind = \"distance\"\n"
             "from = {{body = \"a\", position = [{}, {}, 0]}}\nto = {{position = [{}, 0, 0]}}\n"
             "length = {}\n",
             0.6 * size, 0.8 * size, 0.2 * size, 0.1 * size, 0.1 * size, size) +
         more;
}

TEST_CASE("the verdict on time and the levels of rows do not depend on the size of a mechanism") {
  const std::string still =
      "[[constraint]]\nname = \"still\"\nkind = \"velocity\"\nterm = [{kind = \"joint-rate\", joint = "
      "\"p\"}]\n";
  for (const double size : {1e-6, 1e-3, 0.03, 1., 1e3, 1e6}) {
    CAPTURE(size);
    const json time = report_of(bead_and_rod(size, "")).at("time");
    CHECK(time.at("scleronomic") == false);
    CHECK(time.at("states") == 4);
    const json report = report_of(bead_and_rod(size, still));
    CHECK(report.at("time").at("scleronomic") == true);
    CHECK(report.at("constraints").at(2).at("level") == "integrable");
  }
}

std::string particle_on_line(const std::string& angle, const std::string& more) {
  return "run = {end = 1}\n[chart]\ncoordinates = [\"x\", \"y\", \"r\"]\nstart = [0.6, 0.8, 0.5]\nrates = "
         "[0, 0, 0]\n"
         "[[chart.particle]]\nmass = 1\nposition = [\"r*cos(" +
         angle + ")\", \"r*sin(" + angle +
         ")\", \"0\"]\n[[chart.particle]]\nmass = 1\nposition = [\"x\", \"y\", \"1\"]\n" + more;
}

TEST_CASE("a drive that is at rest at equal intervals is seen in motion") {
  const json time = report_of(particle_on_line("0.3*cos(20*pi*t)", "")).at("time");
  CHECK(time.at("scleronomic") == false);
  CHECK(report_of(particle_on_line("0.3", "")).at("time").at("scleronomic") == true);
}

TEST_CASE("a velocity row that repeats a position row does not hide that a line turns") {
  const json report =
      report_of(particle_on_line("2*t",
                                 "[[chart.constraint]]\nname = \"a\"\nposition = \"x^2 + y^2 - 1\"\n"
                                 "[[chart.constraint]]\nname = \"c\"\nvelocity = \"2*x*x' + 2*y*y'\"\n"));
  CHECK(report.at("time").at("scleronomic") == false);
  CHECK(report.at("time").at("states") == 4);
  CHECK(report.at("constraints").at(1).at("level") == "integrable");
}

std::string small_domain(const std::string& metric) {
  return "run = {end = 1e-3}\n[chart]\ncoordinates = [\"x\", \"r\"]\nstart = [2e-4, 0]\nrates = [1e-3, "
         "0.2]\nmetric = [[\"" +
         metric +
         "\", 0], [0, 0]]\n[[chart.particle]]\nmass = 1\nposition = [\"r*cos(2*t)\", \"r*sin(2*t)\"]\n";
}

TEST_CASE("states at which the metric is not defined are not examined; the displacements are shortened") {
  const json time = report_of(small_domain("1/sqrt(1 - (x/1e-3)^2)")).at("time");
  CHECK(time.at("states") == 4);
  CHECK(time.at("scleronomic") == false);
}

TEST_CASE("residuals that vanish at too few states give no verdict on time") {
  const WorkFolder folder;
  folder.write("scene.toml", small_domain("1/sqrt(1 - ((x - 2e-4)/1e-9)^2)"));
  CHECK(contains(torsor(folder.path, {"geometry", "scene.toml"}).out,
                 "none: S1 and S2 vanish, but only 1 of 4 states could be examined"));
  const json report = json::parse(torsor(folder.path, {"geometry", "--json", "scene.toml"}).out);
  CHECK_FALSE(report.at("time").contains("scleronomic"));
}

TEST_CASE("coefficients of velocity rows that vary fast do not make an integrable row nonholonomic") {
  const json drive = report_of(
      "run = {end = 1}\nintegrator = {consistent = \"project\"}\n[[body]]\nname = \"a\"\nmass = 1\n"
      "inertia = [0.1, 0.15, 0.2]\n[[constraint]]\nname = \"c\"\nkind = \"velocity\"\nterm = [{kind = "
      "\"point-velocity\", body = \"a\", direction = [0, 0.3, 1], axes = \"world\"}]\n"
      "value = \"0.01*cos(30*t)\"\n");
  CHECK(drive.at("constraints").at(0).at("level") == "integrable");
  const auto level = [](const std::string& row) {
    return report_of(
               "run = {end = 1}\n[chart]\ncoordinates = [\"x\", \"y\", \"z\"]\nstart = [0, 0.1, 0]\n"
               "metric = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n[[chart.constraint]]\nname = \"c\"\nvelocity = "
               "\"" +
               row + "\"\n")
        .at("constraints")
        .at(0)
        .at("level");
  };
  CHECK(level("x' + z' - sin(30*y)*y'") == "integrable");
  CHECK(level("x' + z' - sin(3000*y)*y'") == "integrable");
  CHECK(level("x' - sin(30*z)*y'") == "nonholonomic");
  CHECK(level("x' - sin(2*pi*z/3e-3)*y'") != "integrable");
}

}  // namespace
}  // namespace torsor::test
