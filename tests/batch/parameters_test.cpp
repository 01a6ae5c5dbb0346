#include <doctest/doctest.h>

#include <cmath>

#include "batch/layout.hpp"
#include "batch/study/draw.hpp"
#include "batch/table.hpp"
#include "some_study.hpp"
#include "support/contains.hpp"

namespace torsor::test {
namespace {

double number(const batch::Study& study, std::int64_t k, std::size_t parameter = 0) {
  return std::get<double>(study.values(k)[parameter].cells.front());
}

std::string toml(const batch::Study& study, std::int64_t k) {
  std::string text;
  for (const batch::Value& value : study.values(k)) text += (text.empty() ? "" : " ") + value.toml;
  return text;
}

std::string mass(const std::string& lines) { return "[[parameter]]\nkey = \"body.top.mass\"\n" + lines; }

}  // namespace

TEST_CASE("lists and ranges span a grid whose last axis varies fastest; zip joins parameters into one axis") {
  const StudyFolder folder;
  const std::string methods =
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.method\"\nvalues = [\"rkmk4\", \"cf4\"]\n";
  const std::string steps =
      "[[parameter]]\nkind = \"range\"\nkey = \"integrator.step\"\nfrom = 1e-3\nto = 4e-3\ncount = 3\n"
      "spacing = \"logarithmic\"\n";
  const batch::Study grid = folder.study(methods + steps);
  CHECK(grid.cases() == 6);
  CHECK(toml(grid, 0) == "\"rkmk4\" 0.001");
  CHECK(toml(grid, 1) == "\"rkmk4\" 0.002");
  CHECK(toml(grid, 2) == "\"rkmk4\" 0.004");
  CHECK(toml(grid, 3) == "\"cf4\" 0.001");
  CHECK(toml(grid, 5) == "\"cf4\" 0.004");

  const batch::Study together = folder.study(
      methods + "zip = \"a\"\n" + mass("kind = \"range\"\nfrom = 1\nto = 2\ncount = 2\nzip = \"a\"\n"));
  CHECK(together.cases() == 2);
  CHECK(toml(together, 0) == "\"rkmk4\" 1");
  CHECK(toml(together, 1) == "\"cf4\" 2");

  const batch::Study drawn = folder.study("draws = 5\n" + methods + random_attitude);
  CHECK(drawn.cases() == 10);
  CHECK(toml(drawn, 4).starts_with("\"rkmk4\" ["));
  CHECK(toml(drawn, 5).starts_with("\"cf4\" ["));
}

TEST_CASE(
    "a logarithmic range takes any two limits of the same sign, even if their product or ratio is too great "
    "or too small") {
  const StudyFolder folder;
  const auto range = [&](const char* from, const char* to) {
    return folder.study(
        "[[parameter]]\nkey = \"body.top.angular_velocity_body.1\"\nkind = \"range\"\nfrom = " +
        std::string(from) + "\nto = " + to + "\ncount = 3\nspacing = \"logarithmic\"\n");
  };
  CHECK(number(range("1e-200", "1e-180"), 1) / 1e-190 == doctest::Approx(1));
  CHECK(number(range("-1e-180", "-1e-200"), 1) / -1e-190 == doctest::Approx(1));
  CHECK(number(range("1e-200", "1e200"), 1) == 1);
  CHECK(number(range("1e300", "1e-300"), 1) == 1);
  CHECK(number(range("-1e300", "-5e-324"), 1) < 0);
  CHECK_THROWS_AS(range("-1e-200", "1e-180"), scene::SceneError);
  CHECK_THROWS_AS(range("0", "1e-180"), scene::SceneError);
}

TEST_CASE(
    "the difference of the limits of a range and of a uniform distribution may exceed the range of double") {
  const StudyFolder folder;
  const auto drawn = [&](const std::string& draws, const std::string& kind) {
    return number(folder.study(draws +
                               "[[parameter]]\nkey = \"body.top.angular_velocity_body.1\"\n"
                               "from = -1.7e308\nto = 1.7e308\n" +
                               kind),
                  1);
  };
  CHECK(drawn("", "kind = \"range\"\ncount = 5\n") / -0.85e308 == doctest::Approx(1));
  const double one = drawn("draws = 2\n", "kind = \"uniform\"\n");
  CHECK(one > -1.7e308);
  CHECK(one < 1.7e308);
}

TEST_CASE("numbers with a unit become quantities of the scene") {
  const StudyFolder folder;
  const batch::Study study =
      folder.study(mass("kind = \"range\"\nfrom = 500\nto = 1000\ncount = 2\nunit = \"g\"\n"));
  CHECK(toml(study, 1) == "\"1000 g\"");
  CHECK(study.parameters[0].columns().front() == "body.top.mass");
  CHECK(study.scene.scene(study.overrides(study.values(1))).mechanism.bodies[0].mass == 1);
}

TEST_CASE("the columns of parameters have their own unit, or the unit of their key") {
  const StudyFolder folder;
  const auto parameter = [](const std::string& key, const std::string& law) {
    return "[[parameter]]\nkey = \"" + key + "\"\n" + law + "\n";
  };
  const std::string range = "kind = \"range\"\nfrom = 1\nto = 2\ncount = 2";
  const batch::Study study = folder.study(
      parameter("body.top.mass", "kind = \"list\"\nvalues = [1, 2.5]") +
      parameter("body.top.angular_velocity_body.1", range) + parameter("run.end", range + "\nunit = \"ms\"") +
      parameter("integrator.method", "kind = \"list\"\nvalues = [\"rkmk4\"]") +
      parameter("run.output", "kind = \"list\"\nvalues = [\"1 ms\"]") +
      parameter("body.top.inertia", "kind = \"list\"\nvalues = [[1, 1, 1]]") +
      parameter("body.top.quaternion_wxyz", "kind = \"rotation\"") +
      parameter("gravity", "kind = \"direction\""));
  std::vector<std::string> units;
  for (const io::Column& column : batch::layout(study, batch::first_case(study)).parameters)
    units.push_back(column.unit);
  CHECK(units ==
        std::vector<std::string>{"kg", "rad/s", "ms", "", "", "", "", "", "", "", "m/s^2", "m/s^2", "m/s^2"});
}

TEST_CASE("a latin parameter has one case in each stratum, independent of the other parameters") {
  const StudyFolder folder;
  constexpr int n = 1000;
  const batch::Study study = folder.study(
      "draws = 1000\n" + mass("kind = \"uniform\"\nfrom = 10\nto = 20\nsampling = \"latin\"\n") +
      "[[parameter]]\nkey = \"body.top.angular_velocity_body.1\"\nkind = \"normal\"\nmean = 150\n"
      "deviation = 10\nsampling = \"latin\"\n");
  std::vector<int> uniform(n), normal(n);
  double products = 0;
  for (int k = 0; k < n; ++k) {
    const double u = (number(study, k) - 10) / 10;
    const double p = std::erfc((150 - number(study, k, 1)) / 10 / std::sqrt(2)) / 2;
    ++uniform.at(static_cast<std::size_t>(u * n));
    ++normal.at(static_cast<std::size_t>(p * n));
    products += (u - 0.5) * (p - 0.5) * 12 / n;
  }
  CHECK(uniform == std::vector<int>(n, 1));
  CHECK(normal == std::vector<int>(n, 1));
  CHECK(std::abs(products) < 5 / std::sqrt(n));  // the two parameters are uncorrelated
}

TEST_CASE("a draw depends only on seed, case and key") {
  const StudyFolder folder;
  const std::string masses = mass("kind = \"uniform\"\nfrom = 10\nto = 20\n");
  const batch::Study one = folder.study("seed = 1\ndraws = 4\n" + masses);
  const batch::Study beside = folder.study("seed = 1\ndraws = 9\n" + random_attitude + masses);
  const batch::Study other = folder.study("seed = 2\ndraws = 4\n" + masses);
  for (int k = 0; k < 4; ++k) {
    CHECK(number(one, k) == number(beside, k, 1));
    CHECK(number(one, k) != number(other, k));
    CHECK(number(one, k) != number(one, (k + 1) % 4));
  }
}

TEST_CASE("random attitudes and directions are valid values of a scene") {
  const StudyFolder folder;
  const batch::Study study = folder.study(
      "draws = 3\n" + random_attitude +
      "[[parameter]]\nkind = \"direction\"\nkey = \"body.top.angular_velocity_body\"\nlength = 30\n");
  for (int k = 0; k < 3; ++k) {
    const scene::Scene scene = study.scene.scene(study.overrides(study.values(k)));
    CHECK(scene.start.bodies[0].Omega->norm() == doctest::Approx(30));
    CHECK(study.values(k)[0].cells.size() == 4);
  }
}

TEST_CASE("any case of ten million is computed directly, without the cases before it") {
  const StudyFolder folder;
  const batch::Study study = folder.study(
      "draws = 10000000\n" + mass("kind = \"uniform\"\nfrom = 1\nto = 2\nsampling = \"latin\"\n"));
  CHECK(study.cases() == 10'000'000);
  CHECK(number(study, 0) != number(study, 9'999'999));
  CHECK_THROWS_AS(folder.study("draws = 10000001\n" + random_attitude), scene::SceneError);
}

TEST_CASE("the statistics have no deviation of a single number") {
  const StudyFolder folder;
  run_batch(folder.study(mass("kind = \"list\"\nvalues = [10]\n")), {.folder = folder.path / "one"});
  CHECK(contains(read_text(folder.path / "one/statistics.csv"), "\nt,s,1,0.1,,0.1,0.1\n"));
  run_batch(folder.study(mass("kind = \"list\"\nvalues = [10, 20]\n")), {.folder = folder.path / "two"});
  CHECK(contains(read_text(folder.path / "two/statistics.csv"), "\nt,s,2,0.1,0,0.1,0.1\n"));
}

TEST_CASE("the plot of a batch refuses texts on its horizontal axis: it does not leave out their cases") {
  const StudyFolder folder;
  const batch::Study study =
      folder.study("[[parameter]]\nkind = \"list\"\nkey = \"body.top.mass\"\nvalues = [10, \"12 kg\"]\n");
  REQUIRE(run_batch(study, {.folder = folder.path / "out"}).complete);
  CHECK_THROWS_WITH_AS(
      batch::plots_of(folder.path / "out", {.columns = {"energy_max_drift"}, .over = "body.top.mass"}),
      "\"body.top.mass\" is the text \"12 kg\" in some case; a horizontal axis needs numbers",
      batch::QueryError);
}

}  // namespace torsor::test
