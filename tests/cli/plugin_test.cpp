#include <doctest/doctest.h>

#include "command.hpp"
#include "support/contains.hpp"

// Plugins on the command line: when the command may run them, also for results and batches.

namespace torsor::test {
namespace {

namespace fs = std::filesystem;

const std::string refusal = "force \"s\" runs code of its own; allow it by --plugins or TORSOR_PLUGINS=1\n";

/// A folder with the plugin lag.so and a scene that uses it. The state z of the plugin follows the motion
/// with a time lag.
class PluginFolder : public WorkFolder {
 public:
  explicit PluginFolder(const char* below = ".") {
    fs::create_directories(path / below);
    fs::copy_file(fs::path(TORSOR_TEST_PLUGINS) / "lag.so", path / below / "lag.so");
    write((std::string(below) + "/lag.toml").c_str(),
          "[run]\nend = 1\noutput = 0.5\n[[particle]]\nname = \"bob\"\nmass = 2\nvelocity_world = [1, 0, 0]\n"
          "[[force]]\nname = \"s\"\nkind = \"plugin\"\nlibrary = \"lag.so\"\nbodies = [\"bob\"]\n"
          "parameters = {time = 0.2}\n");
  }
};

void allow() { ::setenv("TORSOR_PLUGINS", "1", 1); }

}  // namespace

TEST_CASE(
    "every command that reads a scene refuses its plugins, and runs them with --plugins or "
    "TORSOR_PLUGINS=1") {
  const PluginFolder folder;
  REQUIRE(torsor(folder.path, {"run", "lag.toml", "--plugins", "--quiet", "-o", "result"}).code == 0);
  CHECK(contains(read_text(folder.path / "result/lag.csv"), "state.s.z"));
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"run", "lag.toml", "--json"},
           {"check", "lag.toml"},
           {"geometry", "lag.toml"},
           {"compare", "lag.toml", "--methods", "rkmk4", "--steps", "0.1,0.05", "-o", "compared"}}) {
    CAPTURE(arguments.front());
    const Outcome refused = torsor(folder.path, arguments);
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, "lag.toml:11:11: error: " + refusal));
    auto allowed = arguments;
    allowed.push_back("--plugins");
    CHECK(torsor(folder.path, allowed).code == 0);
    CHECK(torsor(folder.path, arguments, allow).code == 0);
  }
}

TEST_CASE("a result with a plugin is shown where plugins are allowed, from any folder") {
  const PluginFolder folder;
  const WorkFolder elsewhere;
  REQUIRE(torsor(folder.path, {"run", "lag.toml", "--plugins", "--quiet", "-o", "result"}).code == 0);
  const std::string result = (folder.path / "result").string();
  for (const char* verb : {"view", "report"}) {
    const Outcome refused = torsor(elsewhere.path, {verb, result, "-o", "page.html"});
    CHECK(refused.code == 3);
    CHECK(contains(refused.err, refusal));
    CHECK(torsor(elsewhere.path, {verb, result, "-o", std::string(verb) + ".html", "--plugins"}).code == 0);
  }
  CHECK(torsor(elsewhere.path, {"plot", result, "--columns", "state.s.z", "-o", "z.svg"}, allow).code == 0);
}

TEST_CASE("a case whose plugin overflows the stack twice is skipped as crashed") {
  const WorkFolder folder;
  fs::copy_file(fs::path(TORSOR_TEST_PLUGINS) / "recurses.so", folder.path / "recurses.so");
  folder.write("recurses.toml",
               "[run]\nend = 1\n[[particle]]\nname = \"bob\"\nmass = 2\n"
               "[[force]]\nname = \"s\"\nkind = \"plugin\"\nlibrary = \"recurses.so\"\nbodies = [\"bob\"]\n");
  folder.write("study.toml",
               "schema = \"torsor/study/1\"\nscene = \"recurses.toml\"\n[[parameter]]\nkind = \"list\"\n"
               "key = \"run.end\"\nvalues = [0.4, 1]\n");
  const auto batch = [&] {
    return torsor(folder.path,
                  {"batch", "study.toml", "-o", "out", "--quiet", "--plugins", "-j", "1", "--resume"});
  };
  for (int i = 0; i < 2; ++i) CHECK(batch().code >= 128);
  CHECK(batch().code == 1);
  const Outcome table = torsor(folder.path, {"table", "out", "--columns", "case,status"});
  CHECK(contains(table.out, "0,reached-end\n1,crashed\n"));
}

TEST_CASE("a batch runs plugins of its own folder only, and sees that a library was changed") {
  const PluginFolder folder("below");
  const std::string study =
      "schema = \"torsor/study/1\"\nscene = \"SCENE\"\n[[parameter]]\nkind = \"list\"\n"
      "key = \"force.s.parameters.time\"\nvalues = [0.1, 0.2, 0.4]\n"
      "[keep]\ncolumns = [\"state.s.z\"]\n";
  const auto of = [&](const char* scene) {
    return std::string(study).replace(study.find("SCENE"), 5, scene);
  };
  folder.write("study.toml", of("below/lag.toml"));
  const Outcome refused = torsor(folder.path, {"batch", "study.toml", "-o", "out", "--quiet"});
  CHECK(refused.code == 3);
  CHECK(contains(refused.err, refusal));
  const std::vector<std::string> run{"batch", "study.toml", "-o", "out", "--quiet", "--plugins"};
  CHECK(torsor(folder.path, run).code == 0);

  const Outcome table = torsor(folder.path, {"table", "out", "--columns", "status,state.s.z"});
  // z(1) = 1 - T + (T + 0.1) exp(-1 / T)
  for (const char* z : {"0.900009", "0.802021", "0.641042"}) CHECK(contains(table.out, z));

  auto resume = run;
  resume.push_back("--resume");
  CHECK(torsor(folder.path, resume).code == 0);
  std::ofstream(folder.path / "below/lag.so", std::ios::app) << "changed";
  const Outcome changed = torsor(folder.path, resume);
  CHECK(changed.code != 0);
  CHECK(contains(changed.err,
                 "out cannot be resumed: the library of a plugin was changed; --force resumes it"));

  const WorkFolder other;
  other.write("study.toml", of("lag"));
  const Outcome foreign = torsor(other.path, {"batch", "study.toml", "--plugins"},
                                 [&] { ::setenv("TORSOR_SCENES", (folder.path / "below").c_str(), 1); });
  CHECK(foreign.code == 3);
  CHECK(contains(foreign.err,
                 "force \"s\" runs code of its own; a study may use plugins only of a scene in its "
                 "own folder or below it"));
}

}  // namespace torsor::test
