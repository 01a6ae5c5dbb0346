#include <doctest/doctest.h>
#include <sys/stat.h>

#include <sstream>

#include "command.hpp"
#include "reference.hpp"

// `torsor geometry --follow`: curves as text, JSON, tables and plots.
namespace torsor::test {
namespace {

bool says(const Outcome& run, const std::string& part) {
  return (run.out + run.err).find(part) != std::string::npos;
}
const std::vector<std::string> follow_one = {"geometry", "spherical_motion_313_canonical", "--follow", "1"};

Outcome followed(const WorkFolder& folder, std::vector<std::string> others,
                 std::vector<std::string> all = follow_one) {
  all.insert(all.end(), others.begin(), others.end());
  return torsor(folder.path, all);
}

}  // namespace

TEST_CASE("geometry --follow prints where curves end, and writes the same numbers as JSON and CSV") {
  const WorkFolder folder;
  const std::vector<std::string> what = {"--direction", "w1=0.6,w3=1.1", "--transport", "w2=1"};
  const Outcome text = followed(folder, what);
  CHECK(text.code == 0);
  for (const char* part : {"Curves from t = 0 to 1 s", "all at the start", "canonical-zero",
                           "transport along the motion", "velocity: w1 w2 w3"})
    CHECK(says(text, part));
  CHECK_FALSE(says(text, "in-use"));  // the connection in use is canonical-plus

  std::vector<std::string> files = what;
  files.insert(files.end(), {"--json", "--curves", "curves.csv"});
  const Outcome printed = followed(folder, files);
  REQUIRE(printed.code == 0);
  const json curves = json::parse(printed.out).at("curves");
  CHECK(curves.at("t").size() == 101);
  // On SO(3) torsions are -c, 0, c, and the curvature of (0) is -[[., .], .] / 4.
  const json connections = json::parse(printed.out).at("connections");
  const auto value = [&](const char* name, const char* tensor) {
    return double(connections.at(name).at(tensor).at("value"));
  };
  CHECK(connections.size() == 4);
  CHECK(value("canonical-minus", "torsion") == doctest::Approx(-1));
  CHECK(value("canonical-zero", "torsion") == 0);
  CHECK(value("canonical-plus", "torsion") == doctest::Approx(1));
  CHECK(connections.at("canonical-plus").at("torsion").at("component") == "w1, w2 -> w3");
  for (const char* flat : {"canonical-minus", "canonical-plus"}) CHECK(value(flat, "curvature") == 0);
  CHECK(std::abs(value("canonical-zero", "curvature")) == doctest::Approx(0.25));
  // R(1, 2, 2, 1) of the Levi-Civita connection on SO(3) for the principal moments (1.7, 1.7, 0.9).
  CHECK(std::abs(value("christoffel", "curvature")) ==
        doctest::Approx(std::abs(0.9 * 0.9 / (4 * 0.9 * 1.7) - (2 * 1.7 - 0.9) / (2 * 1.7))));
  CHECK(value("christoffel", "non_metricity") == 0);
  CHECK(std::abs(value("canonical-minus", "non_metricity")) == 0);
  CHECK(std::abs(value("canonical-plus", "non_metricity")) == doctest::Approx(1.7 - 0.9));
  CHECK(double(connections.at("canonical-plus").at("weak_residual")) < 1e-14);
  CHECK(double(connections.at("canonical-minus").at("weak_residual")) > 0.1);
  CHECK(curves.at("autoparallel.christoffel.velocity.w1").at(0) == 0.6);
  CHECK(curves.at("autoparallel.canonical-minus.velocity.w2").at(0) == 0);
  CHECK(curves.at("motion.canonical-plus.vector.w2").at(0) == 1);
  std::istringstream table(read_text(folder.path / "curves.csv"));
  std::string line;
  std::getline(table, line);
  CHECK(line.starts_with("t,autoparallel.christoffel.coordinate.phi,"));
  int columns = 1, rows = 0;
  for (const char c : line) columns += c == ',';
  CHECK(static_cast<std::size_t>(columns) == curves.size());
  while (std::getline(table, line)) rows += line.front() != '#';
  CHECK(rows == 101);
}

TEST_CASE("check and geometry say whether the connection is compatible weakly or also strongly") {
  const WorkFolder folder;
  const auto told = [&](const char* verb, const char* scene) { return torsor(folder.path, {verb, scene}); };
  const char* const weakly = "weakly compatible, not strongly";
  for (const char* verb : {"check", "geometry"})
    for (const char* scene : {"spherical_motion_313_canonical", "chaplygin_sleigh_connections"})
      CHECK(says(told(verb, scene), weakly));
  CHECK_FALSE(says(told("check", "spherical_motion_313"), "compatible"));
  CHECK(says(told("geometry", "spherical_motion_313"),
             "strongly compatible: it is the Christoffel connection"));
  CHECK(says(told("check", "chaplygin_sleigh_connections"), "equations: christoffel + sigma"));
}

TEST_CASE("torsor plot draws a table of curves") {
  const WorkFolder folder;
  REQUIRE(followed(folder, {"--curves", "curves.csv"}).code == 0);
  const auto plot = [&](const char* file, const char* columns) {
    return torsor(folder.path, {"plot", file, "--columns", columns});
  };
  CHECK(plot("curves.csv", "*.coordinate.theta").code == 0);
  const std::string svg = read_text(folder.path / "curves.svg");
  for (const char* name : {"autoparallel.canonical-plus.coordinate.theta", "motion.coordinate.theta"})
    CHECK(svg.find(name) != std::string::npos);
  CHECK(says(plot("curves.csv", "motion.coordinate.thet"), "did you mean \"motion.coordinate.theta\"?"));
  folder.write("other.csv", "t,x\n1,2\n");
  const Outcome other = plot("other.csv", "x");
  CHECK(other.code == 3);
  CHECK(says(other, "is not a table of curves"));
  const Outcome missing = plot("none.csv", "x");
  CHECK(missing.code == 3);
  CHECK(says(missing, "no such file or folder: none.csv"));
  REQUIRE(::mkfifo((folder.path / "pipe.csv").c_str(), 0600) == 0);
  const Outcome pipe = plot("pipe.csv", "x");
  CHECK(pipe.code == 3);
  CHECK(says(pipe, "pipe.csv is not a regular file"));
  // The folder of a result may have any name.
  const std::vector<std::string> run{"run", "heavy_top_slow", "--quiet", "-o", "top.csv"};
  REQUIRE(torsor(folder.path, run).code == 0);
  CHECK(plot("top.csv", "energy").code == 0);
  // A file of another kind is replaced only with --force.
  CHECK(followed(folder, {"--curves", "other.csv"}).code == 4);
  CHECK(followed(folder, {"--curves", "other.csv", "--force"}).code == 0);
}

TEST_CASE("geometry reports wrong options of curves") {
  const WorkFolder folder;
  const std::vector<std::string> canonical(follow_one.begin(), follow_one.begin() + 2);
  const auto refused = [&](const Outcome& run, const char* part) {
    CAPTURE(run.err);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    CHECK(says(run, part));
  };
  refused(followed(folder, {"--direction", "w4=1"}), "the frame has no vector \"w4\"; did you mean");
  refused(followed(folder, {"--transport", "w1=fast"}), "expected name=number, got \"w1=fast\"");
  refused(followed(folder, {"--direction", "1"}), "expected name=number");
  refused(followed(folder, {"--direction", "w1=1"}, canonical), "--follow");
  refused(followed(folder, {"--follow", "-1"}, canonical),
          "--follow: expected a number greater than 0, got -1\n");
  refused(followed(folder, {"--transport", "w1=1,w1=2"}), "--transport: \"w1\" is given twice");
  for (const char* scene : {"heavy_top_bruls", "magnetic_bottle"})
    refused(followed(folder, {"--follow", "1"}, {"geometry", scene}), "curves need a scene with [chart]");
}

TEST_CASE("autoparallels that meet a singularity of the coordinates end there, with notes") {
  const WorkFolder folder;
  // theta falls from 0.5 to 0 in half a second along the autoparallels; the motion itself stays at 0.5.
  const Outcome run = followed(folder,
                               {"--direction", "w1=-1", "--json", "--set", "chart.start=[0, 0.5, 0]", "--set",
                                "chart.rates=[0, 0, 1]"},
                               {"geometry", "spherical_motion_313", "--follow", "1"});
  CAPTURE(run.err);
  CHECK(run.code == 0);
  CHECK(says(run, "note: the autoparallel of christoffel has no accurate values after t = 0.4"));
  const json curves = json::parse(run.out).at("curves"),
             theta = curves.at("autoparallel.christoffel.coordinate.theta");
  CHECK(double(theta.at(40)) == doctest::Approx(0.1));
  CHECK(theta.at(60).is_null());
  CHECK(curves.at("motion.coordinate.theta").at(100) == 0.5);
}

}  // namespace torsor::test
