#include "command.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "reference.hpp"
#include "support/contains.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::test {
namespace {

TEST_CASE("each scene, run by name through the command, ends at the state of its reference") {
  const WorkFolder folder;
  for (const ReferenceScene& scene : reference_scenes) {
    const json last = reference(scene.name).at("outputs").back();
    CAPTURE(scene.name);
    const Outcome run =
        torsor(folder.path, {"run", scene.name, "--json", "--set", "integrator.tolerance=1e-12", "--set",
                             "run.end=" + last.at("t").dump()});
    REQUIRE(run.code == 0);
    for (const auto& [key, error] : differences(json::parse(run.out), last)) {
      CAPTURE(key);
      CHECK(error <= owed(scene.name, last.at("t")));
    }
  }
  CHECK(folder.empty());  // --json without -o writes nothing
}

TEST_CASE("every shipped scene passes check and runs; two long scenes run for a shorter time") {
  const WorkFolder folder;
  const std::map<std::string, const char*> shortened = {{"n_fourbar_40", "0.5"}, {"ten_loops", "5"}};
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TORSOR_SCENES)) {
    if (entry.is_directory()) continue;  // the folder of studies
    CAPTURE(entry.path().string());
    CHECK(torsor(folder.path, {"check", entry.path().string()}).code == 0);
    std::vector<std::string> run = {"run", entry.path().string(), "--quiet", "--format", "csv"};
    if (const auto cut = shortened.find(entry.path().stem().string()); cut != shortened.end())
      run.insert(run.end(), {"--set", std::string("run.end=").append(cut->second)});
    CHECK(torsor(folder.path, run).code == 0);
    CHECK(folder.has(("results/" + entry.path().stem().string()).c_str()));
    ++count;
  }
  CHECK(count >= 34);
}

TEST_CASE("a run writes its folder and prints the path; --quiet prints notes and errors only") {
  const WorkFolder folder;
  const Outcome loud = torsor(folder.path, {"run", "heavy_top_slow"});
  CHECK(loud.code == 0);
  CHECK(loud.err.empty());
  CHECK(contains(loud.out, "results/heavy_top_slow/heavy_top_slow.h5"));
  CHECK(contains(loud.out, "reached-end"));
  CHECK(contains(loud.out, "rkmk-fehlberg78"));
  CHECK(folder.has("results/heavy_top_slow/heavy_top_slow.csv"));
  const Outcome quiet =
      torsor(folder.path, {"run", "heavy_top_slow", "--quiet", "-o", "there", "--format", "csv"});
  CHECK(quiet.code == 0);
  CHECK(quiet.out.empty());
  CHECK(quiet.err.empty());
  CHECK(folder.has("there/heavy_top_slow.csv"));
  CHECK_FALSE(folder.has("there/heavy_top_slow.h5"));
  const Outcome noted = torsor(folder.path, {"run", "fourbar_driven", "--quiet", "-o", "noted"});
  CHECK(noted.out.empty());
  CHECK(noted.err.starts_with("note: "));
  for (const char* verb : {"run", "batch"})
    CHECK(contains(torsor(folder.path, {verb, "--help"}).out, "Print notes and errors only"));
}

TEST_CASE("the last row of the table and the JSON object hold the same final state") {
  const WorkFolder folder;
  const Outcome run = torsor(folder.path, {"run", "chain3_spherical", "--json", "-o", "."});
  const json object = json::parse(run.out);
  const std::string table = read_text(folder.path / "chain3_spherical.csv");
  const std::string last = table.substr(table.rfind('\n', table.size() - 2) + 1);
  std::string start = object.at("t").dump();
  for (const double x : object.at("bodies").at("rod0").at("x")) start += "," + json(x).dump();
  std::vector<double> a, b;  // The digits may differ, the doubles may not.
  for (const auto& [text, numbers] : {std::pair{start, &a}, std::pair{last, &b}}) {
    for (std::size_t at = 0; numbers->size() < 4; at = text.find(',', at) + 1)
      numbers->push_back(std::strtod(text.c_str() + at, nullptr));
  }
  CHECK(a == b);
}

TEST_CASE("--set changes values and finds tables by name") {
  const WorkFolder folder;
  const auto energy = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", "heavy_top_slow", "--json", "--set", "run.end=0.1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const json object = json::parse(torsor(folder.path, arguments).out);
    CHECK(object.at("t") == 0.1);
    return object.at("energy").at("initial").get<double>();
  };
  const double as_written = energy({});
  // Twice the mass and twice the inertia give twice the energy.
  CHECK(energy({"--set", "body.top.mass=10", "--set", "body.top.inertia=[1.6, 3.6, 3.0]"}) ==
        doctest::Approx(2 * as_written).epsilon(1e-14));
}

TEST_CASE("repeated runs give the same JSON object, whatever the locale and the time zone") {
  const WorkFolder folder;
  const auto result = [&](const char* locale, const char* zone) {
    json object = json::parse(torsor(folder.path, {"run", "universal_double", "--json"}, [=] {
                                ::setenv("LC_ALL", locale, 1);
                                ::setenv("TZ", zone, 1);
                              }).out);
    object.erase("wall_s");
    return object.dump();
  };
  CHECK(result("C", "UTC") == result("de_DE.UTF-8", "Asia/Kathmandu"));
}

TEST_CASE("check prints bodies, joints, degrees of freedom, start and residuals") {
  const WorkFolder folder;
  const Outcome check = torsor(folder.path, {"check", "universal_double"});
  CHECK(check.code == 0);
  for (const char* part : {"2 bodies, 2 joints, 1 force, 4 degrees of freedom", "body1", "universal",
                           "body0 -> body1", "ground -> body0", "0.9 0.4", "-1.5 2", "residuals", "energy"}) {
    CAPTURE(part);
    CHECK(contains(check.out, part));
  }
}

TEST_CASE("check prints the quaternion of a joint with its scalar first, like that of a body") {
  const WorkFolder folder;
  const Outcome check =
      torsor(folder.path, {"check", "heavy_top_bruls", "--set", "joint.pivot.rotation_vector=[0.2, 0, 0]"});
  CHECK(check.code == 0);
  const std::string q = "0.995004 0.0998334 0 0";
  const auto of_joint = check.out.find(q);
  REQUIRE(of_joint != std::string::npos);
  CHECK(check.out.find(q, of_joint + 1) != std::string::npos);  // of the body
}

TEST_CASE("check and geometry print the values of a system in coordinates however small they are") {
  const WorkFolder folder;
  const std::string proton = R"toml([run]
end = 1
[chart]
coordinates = ["x", "y"]
start = [1e-15, 0]
rates = [0, 3e-15]
[[chart.particle]]
mass = 1.6e-27
position = ["x", "y"]
)toml";
  folder.write("free.toml", proton);
  folder.write("circle.toml", proton + R"toml([[chart.constraint]]
name = "circle"
position = "(x^2 + y^2)*1e15 - 1e-15"
)toml");
  const Outcome check = torsor(folder.path, {"check", "circle.toml"});
  CHECK(check.code == 0);
  for (const char* part : {"1e-15", "3e-15", "-9e-15", "-7.2e-42"}) {  // m x'' = 2 lambda, x'' = -v^2/x
    CAPTURE(part);
    CHECK(contains(check.out, part));
  }
  CHECK(contains(torsor(folder.path, {"geometry", "free.toml"}).out, "3e-15"));
}

TEST_CASE("check lists constraint rows, cut joints and the remaining degrees of freedom") {
  const WorkFolder folder;
  const Outcome check = torsor(folder.path, {"check", "fourbar_driven"});
  CHECK(check.code == 0);
  for (const char* part : {"degrees of freedom  0 = 3 - 6 rows + 3 redundant", "cut                 C",
                           "of t", "redundant", "holonomic"}) {
    CAPTURE(part);
    CHECK(contains(check.out, part));
  }
  CHECK(contains(check.err, "note: 3 of the 6 constraint rows depend on the others"));
  CHECK(contains(check.out, "3 bodies, 4 joints"));
  CHECK(contains(check.out,
                 ", 0 degrees of freedom\n"));  // the first line counts the remaining degrees of freedom
  CHECK(contains(
      torsor(folder.path, {"check", "fourbar_driven", "--set", "integrator.formulation=absolute"}).out,
      ", 0 degrees of freedom\n"));
  const std::string shared = "  reactions of A, B, D, C: not unique, those of least norm\n";
  CHECK(contains(check.out, shared));
  CHECK(contains(torsor(folder.path, {"run", "fourbar_driven", "--set", "run.end=0.1"}).out, shared));
  CHECK_FALSE(contains(torsor(folder.path, {"check", "simple_pendulum"}).out, "not unique"));
  const Outcome other = torsor(folder.path, {"check", "fourbar_driven", "--set", "integrator.cut=[\"A\"]"});
  CHECK(contains(other.out, "cut                 A"));
}

TEST_CASE("check finds redundant rows of a system in coordinates, in any unit of the rows") {
  const WorkFolder folder;
  folder.write("twice.toml", R"toml([run]
end = 1
[chart]
coordinates = ["x", "y", "z"]
start = [1, 0, 0]
rates = [0, 1, 0.3]
[[chart.particle]]
mass = 1
position = ["x", "y", "z"]
[[chart.constraint]]
name = "circle"
position = "x^2 + y^2 - 1"
[[chart.constraint]]
name = "again"
position = "(x^2 + y^2 - 1)*1e-9"
)toml");
  const Outcome check = torsor(folder.path, {"check", "twice.toml"});
  CHECK(check.code == 0);
  CHECK(contains(check.out, "3 coordinates, 2 constraints, 2 degrees of freedom\n"));
  CHECK(contains(check.out, "again       holonomic  redundant"));
  CHECK(contains(check.err, "note: 1 of the 2 constraint rows depends on the others (in again)"));
}

TEST_CASE("check does not count rows that friction replaces as constraints") {
  const WorkFolder folder;
  const Outcome check = torsor(folder.path, {"check", "rolling_disk_viscous_1e-2"});
  CHECK(check.code == 0);
  for (const char* part : {", 4 degrees of freedom\n", "degrees of freedom  4 = 6 - 2 rows + 0 redundant",
                           "nonholonomic, gives way to friction"}) {
    CAPTURE(part);
    CHECK(contains(check.out, part));
  }
  CHECK_FALSE(contains(check.out, "not unique"));
  CHECK(contains(torsor(folder.path, {"check", "rolling_disk_exact"}).out, ", 2 degrees of freedom\n"));
}

TEST_CASE("check shortens the tables of large scenes and prints the number of omitted rows") {
  const WorkFolder folder;
  folder.write("many.toml",
               "[run]\nend = 1\n[[body]]\nrepeat = 20000\nname = \"b{i}\"\nmass = 1\ninertia = [1, 1, 1]\n");
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const Outcome check = torsor(folder.path, {"check", "many.toml"});
  CHECK(check.code == 0);
  CHECK(lines(check.out) < 100);
  CHECK(contains(check.out, "20000 bodies"));
  CHECK(contains(check.out, "\n  ... and 19980 more; --all shows every row\n"));
  CHECK(contains(check.out, "\n  b19 "));
  CHECK_FALSE(contains(check.out, "\n  b20 "));
  const Outcome all = torsor(folder.path, {"check", "many.toml", "--all", "--set", "body.b{i}.repeat=300"});
  CHECK(contains(all.out, "\n  b299 "));
  CHECK_FALSE(contains(all.out, "more;"));
}

TEST_CASE("a study may vary a definition") {
  const WorkFolder folder;
  folder.write(
      "rod.toml",
      "[definitions]\nlength = \"1 m\"\n[run]\nend = 1\n[[body]]\nname = \"rod\"\nmass = \"3*length\"\n"
      "inertia = [1, 1, 1]\nposition = [\"length/2\", 0, 0]\n");
  folder.write(
      "lengths.toml",
      "scene = \"rod.toml\"\n[[parameter]]\nkind = \"range\"\nkey = \"definitions.length\"\nfrom = 10\n"
      "to = 30\ncount = 3\nunit = \"cm\"\n");
  CHECK(torsor(folder.path, {"batch", "lengths.toml", "-o", "out", "--quiet"}).code == 0);
  const Outcome table = torsor(folder.path, {"table", "out", "--columns", "case,body.rod.x"});
  CHECK(table.out == "case,body.rod.x\n# format: torsor/batch/2\n# unit: 1,m\n0,0.05\n1,0.1\n2,0.15\n");
  folder.write("wrong.toml",
               "scene = \"rod.toml\"\n[[parameter]]\nkind = \"list\"\nkey = \"definitions.lenght\"\n"
               "values = [1, 2]\n");
  const Outcome wrong = torsor(folder.path, {"batch", "wrong.toml"});
  CHECK(wrong.code == 3);
  CHECK(contains(wrong.err, "unknown key \"lenght\"; did you mean \"length\"?"));
}

TEST_CASE("methods lists every method, and schema prints the schema") {
  const WorkFolder folder;
  const Outcome text = torsor(folder.path, {"methods"}), as_json = torsor(folder.path, {"methods", "--json"});
  std::set<std::string> listed, known;
  for (const json& method : json::parse(as_json.out)) listed.insert(method.at("name"));
  for (const MethodInfo& method : methods()) {
    known.emplace(method.name);
    CHECK(contains(text.out, "\n" + std::string(method.name) + " "));
  }
  CHECK(listed == known);
  CHECK(json::parse(torsor(folder.path, {"schema"}).out).at("$id") == "urn:torsor:scene:1");
}

TEST_CASE("--help and --version work for every command") {
  const WorkFolder folder;
  for (const char* verb : {"", "run", "view", "plot", "report", "compare", "check", "geometry", "methods",
                           "schema", "batch", "status", "merge", "table", "scenes", "help"}) {
    CAPTURE(verb);
    const auto with = [&](const char* flag) {
      return *verb == '\0' ? std::vector<std::string>{flag} : std::vector<std::string>{verb, flag};
    };
    const Outcome help = torsor(folder.path, with("--help")),
                  version = torsor(folder.path, with("--version"));
    CHECK(help.code == 0);
    CHECK(contains(help.out, "Usage: torsor"));
    CHECK(version.code == 0);
    CHECK(version.out.starts_with("torsor 0."));
  }
}

TEST_CASE("check puts an empty line before each table") {
  const WorkFolder folder;
  const Outcome check = torsor(folder.path, {"check", "position_drive_pid"});
  CHECK(check.code == 0);
  for (const char* head : {"body  ", "joint  ", "state  ", "start  ", "energy  "}) {
    CAPTURE(head);
    CHECK(contains(check.out, std::string("\n\n  ") + head));
  }
}

TEST_CASE("options that take a number refuse values that are not finite") {
  const WorkFolder folder;
  for (std::vector<std::string> line :
       std::vector<std::vector<std::string>>{{"batch", "study.toml", "--limit-per-case"},
                                             {"batch", "study.toml", "--checkpoint"},
                                             {"compare", "scene.toml", "--steps"},
                                             {"compare", "scene.toml", "--tolerances"},
                                             {"geometry", "scene.toml", "--at"},
                                             {"geometry", "scene.toml", "--follow"},
                                             {"plot", "result", "--columns", "drift", "--from"},
                                             {"plot", "result", "--columns", "drift", "--to"}}) {
    const std::string option = line.back();
    for (const char* value : {"nan", "inf", "1e999"}) {
      CAPTURE(option);
      CAPTURE(value);
      line.push_back(value);
      const Outcome refused = torsor(folder.path, line);
      line.pop_back();
      CHECK(refused.code == 2);
      CHECK(contains(refused.err, option + ": " + value + " is not a finite number"));
    }
  }
}

TEST_CASE("options that take a positive number refuse others in one short sentence") {
  const WorkFolder folder;
  for (const auto& [option, line] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"--limit-per-case", {"batch", "study.toml"}},
           {"--steps", {"compare", "scene.toml"}},
           {"--tolerances", {"compare", "scene.toml"}},
           {"--follow", {"geometry", "scene.toml"}}}) {
    const auto refused = [&, &name = option, &before = line](const char* value) {
      CAPTURE(name);
      std::vector<std::string> arguments = before;
      arguments.insert(arguments.end(), {name, value});
      const Outcome outcome = torsor(folder.path, arguments);
      CHECK(outcome.code == 2);
      return outcome.err;
    };
    CHECK(contains(refused("0"), option + ": expected a number greater than 0, got 0\n"));
    CHECK(contains(refused("-1"), option + ": expected a number greater than 0, got -1\n"));
    CHECK(contains(refused("soon"), option + ": expected a number, got soon\n"));
  }
  CHECK(contains(torsor(folder.path, {"batch", "study.toml", "--checkpoint", "-1"}).err,
                 "--checkpoint: expected a number of at least 0, got -1\n"));
}

}  // namespace
}  // namespace torsor::test
