#include <doctest/doctest.h>
#include <sys/file.h>

#include <csignal>

#include "command.hpp"
#include "reference.hpp"
#include "support/contains.hpp"
#include "torsor/integrators/stepper.hpp"

namespace torsor::test {
namespace {

/// A free body under a force; `force` and `end` decide how the run fails.
std::string pushed_body(const std::string& force, const std::string& end) {
  return "[run]\nend = " + end +
         "\n[integrator]\nmethod = \"rkmk-dopri5\"\ntolerance = 1e-9\n"
         "[[body]]\nname = \"puck\"\nmass = 1\ninertia = [1, 1, 1]\n"
         "[[force]]\nname = \"push\"\nkind = \"body-force\"\nbody = \"puck\"\nforce = [\"" +
         force + "\", 0, 0]\n";
}

TEST_CASE("wrong command lines end with exit code 2 and a message; misspelt words get a suggestion") {
  const WorkFolder folder;
  const auto fails = [&](const std::vector<std::string>& arguments, const char* message) {
    const Outcome outcome = torsor(folder.path, arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(contains(outcome.err, message));
  };
  fails({}, "no command given");
  fails({"rnu"}, "unknown command \"rnu\"; did you mean \"run\"?");
  fails({"run"}, "SCENE is required");
  fails({"run", "heavy_top_slow", "--jsn"}, "unexpected argument \"--jsn\"; did you mean \"--json\"?");
  fails({"run", "heavy_top_slow", "--step", "1e-3"},
        "unknown option \"--step\"; write --set integrator.step=VALUE");
  fails({"check", "heavy_top_slow", "--end=3"}, "unknown option \"--end\"; write --set run.end=VALUE");
  fails({"run", "heavy_top_slow", "--methd", "cf4"},
        "unknown option \"--methd\"; write --set integrator.method=VALUE");
  fails({"compare", "heavy_top_slow", "--tolerance", "1e-6"}, "did you mean \"--tolerances\"?");
  fails({"check", "heavy_top_slow", "chain3"}, "unexpected argument \"chain3\"");
  fails({"run", "heavy_top_slow", "--set", "run.end"}, "expected key.path=value, got \"run.end\"");
  fails({"run", "heavy_top_slow", "--set", "run.end=1", "run.output=1"},
        "unexpected argument \"run.output=1\"; write --set before each KEY=VALUE");
  fails({"run", "heavy_top_slow", "--format", "xml"}, "xml");
  fails({"check"}, "SCENE is required");
  CHECK(folder.empty());
}

TEST_CASE("a missing or invalid scene ends with exit code 3 and its location") {
  const WorkFolder folder;
  const auto fails = [&](const std::string& scene, const std::vector<std::string>& messages) {
    for (const char* verb : {"run", "check"}) {
      const Outcome outcome = torsor(folder.path, {verb, scene});
      CAPTURE(outcome.err);
      CHECK(outcome.code == 3);
      CHECK(outcome.out.empty());
      for (const auto& message : messages) CHECK(contains(outcome.err, message));
    }
  };
  fails("heavy_top_brulz", {"no such file or scene; did you mean \"heavy_top_bruls\"?"});
  fails("heavy_top", {"did you mean \"heavy_top_bruls\"?"});
  fails("there/is/none.toml", {"there/is/none.toml: error: no such file"});
  folder.write("bad.toml",
               "[run]\nend = 1\n[integrator]\nstepsize = 1\n[[body]]\nname = \"a\"\nmass = \"heavy\"\n"
               "inertia = [1, 1, 1]\n");
  fails("bad.toml", {"bad.toml:4:1: error: unknown key \"stepsize\"", "bad.toml:7:8: error: "});
  CHECK_FALSE(folder.has("results"));
}

TEST_CASE("a scene that exceeds a limit ends with exit code 6") {
  const WorkFolder folder;
  folder.write("deep.toml", "a = " + std::string(100000, '['));
  CHECK(torsor(folder.path, {"check", "deep.toml"}).code == 6);
}

TEST_CASE("a numerical failure ends with exit code 1 and prints and writes the last good state") {
  const WorkFolder folder;
  folder.write("pole.toml", pushed_body("1/(0.5 - t)^3", "1"));
  const Outcome outcome = torsor(folder.path, {"run", "pole.toml", "--json", "-o", "out"});
  CHECK(outcome.code == 1);
  const json object = json::parse(outcome.out);
  CHECK(object.at("status") != "reached-end");
  CHECK(object.at("t").get<double>() <= 0.5);
  CHECK(object.at("bodies").at("puck").at("x")[0].is_number());
  CHECK_FALSE(object.at("message").get<std::string>().empty());
  CHECK(contains(outcome.err, object.at("message").get<std::string>()));
  CHECK(folder.has("out/pole.h5"));
  CHECK(folder.has("out/pole.csv"));
}

TEST_CASE("the message of a run that leaves the points of a table names the table") {
  const WorkFolder folder;
  folder.write("curve.csv", "s,y\n0,1\n0.5,2\n");
  folder.write("push.toml",
               "[run]\nend = 1\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[force]]\n"
               "name = \"push\"\nkind = \"body-force\"\nbody = \"a\"\n"
               "force = [0, 'table(\"curve.csv\", \"y\", t, \"none\")', 0]\n");
  const Outcome outcome = torsor(folder.path, {"run", "push.toml"});
  CHECK(outcome.code == 1);
  CHECK_MESSAGE(contains(outcome.err,
                         "force \"push\" is not finite at t = 0.5: table(\"curve.csv\", \"y\", t, "
                         "\"none\") has no finite value"),
                outcome.err);
}

TEST_CASE("terminal control characters in a formula are escaped in the message of a run") {
  const WorkFolder folder;
  folder.write("a\033b.csv", "s,y\n0,1\n0.5,2\n");
  folder.write("push.toml", pushed_body("table('a\\u001bb.csv', 'y', t, 'none')", "1"));
  const Outcome outcome = torsor(folder.path, {"run", "push.toml"});
  CHECK(outcome.code == 1);
  CHECK_MESSAGE(contains(outcome.err, "a\\u001Bb.csv"), outcome.err);
  CHECK_FALSE(contains(outcome.err, "a\033b.csv"));
}

TEST_CASE("a limit of steps or of wall time ends with exit code 6") {
  const WorkFolder folder;
  const Outcome steps = torsor(folder.path, {"run", "heavy_top_slow", "--json", "--set", "run.max_steps=3"});
  CHECK(steps.code == 6);
  CHECK(json::parse(steps.out).at("status") == "step-limit");
  folder.write("long.toml", pushed_body("sin(1000*t)", "1e9"));
  const Outcome time = torsor(
      folder.path, {"run", "long.toml", "--json", "--set", "run.output=1e8", "--set", "run.wall_limit=0.05"});
  CHECK(time.code == 6);
  CHECK(json::parse(time.out).at("status") == "cancelled");
}

TEST_CASE("a signal stops the run, the result so far is written, and the exit code gives the signal") {
  const WorkFolder folder;
  folder.write("long.toml", pushed_body("sin(1000*t)", "1e9"));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Command run(folder.path, {"run", "long.toml", "--json", "-o", "out", "--set", "run.output=1e8"});
    while (!folder.has("out")) ::usleep(1000);  // the folder is created after the signal handlers are set
    ::usleep(20000);
    run.signal(signal);
    const Outcome outcome = run.wait();
    CHECK(outcome.code == 128 + signal);
    CHECK(json::parse(outcome.out).at("status") == "cancelled");
    CHECK(folder.has("out/long.h5"));
    CHECK(folder.has("out/long.csv"));
    std::filesystem::remove_all(folder.path / "out");
  }
}

TEST_CASE("a signal that the caller ignores stays ignored after another signal has stopped the run") {
  const WorkFolder folder;
  folder.write("long.toml", pushed_body("sin(1000*t)", "1e9"));
  const Command run(folder.path, {"run", "long.toml", "-o", "out", "--set", "run.output=1e8"},
                    [] { ::signal(SIGHUP, SIG_IGN); });
  while (!folder.has("out")) ::usleep(1000);
  ::usleep(20000);
  run.signal(SIGTERM);
  for (int i = 0; i < 200; ++i) {  // also while the result is written
    ::usleep(500);
    run.signal(SIGHUP);
  }
  CHECK(run.wait().code == 128 + SIGTERM);
  CHECK(folder.has("out/long.h5"));
}

TEST_CASE("a signal before the run, while the start is computed, ends the program at once") {
  const WorkFolder folder;
  // Each link of the chain depends on all joints before it, so the equations for the nearest start to
  // positions that the joints do not allow are dense, and take many seconds to solve.
  folder.write(
      "chain.toml",
      "[run]\nend = 1\n[integrator]\nmethod = \"rkmk4\"\nstep = 0.5\nconsistent = \"project\"\n"
      "[[body]]\nrepeat = 1501\nname = \"link{i}\"\nmass = 1\ninertia = [1, 1, 1]\n"
      "position = [\"{i}\", \"{0.1*sin(i)}\", 0]\n"
      "[[joint]]\nrepeat = 1500\nname = \"hinge{i}\"\nkind = \"revolute\"\nparent = \"link{i}\"\n"
      "child = \"link{i+1}\"\nparent_frame.position = [0.5, 0, 0]\nchild_frame.position = [-0.5, 0, 0]\n");
  const Command run(folder.path, {"run", "chain.toml", "-o", "out"});
  ::usleep(500000);
  run.signal(SIGTERM);
  CHECK(run.wait().code == 128 + SIGTERM);
  CHECK_FALSE(folder.has("out"));
}

TEST_CASE("a result that cannot be written ends with exit code 4 and leaves no partial file") {
  const WorkFolder folder;
  folder.write("file", "text");
  const Outcome below_file = torsor(folder.path, {"run", "heavy_top_slow", "-o", "file/out"});
  CHECK(below_file.code == 4);
  CHECK(contains(below_file.err, "file/out"));
  for (const rlim_t bytes : {0, 1000, 5000, 20000, 60000}) {
    CAPTURE(bytes);
    const Outcome full = torsor(folder.path, {"run", "heavy_top_slow", "-o", "out"}, [bytes] {
      // The summary goes to a file as well; the limit must not affect it.
      ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
      const rlimit limit{bytes, bytes};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    });
    CHECK(full.code == 4);
    CHECK((!folder.has("out") || std::filesystem::is_empty(folder.path / "out")));
  }
}

TEST_CASE("a second run in a result folder that is in use ends with exit code 5") {
  const WorkFolder folder;
  std::filesystem::create_directory(folder.path / "out");
  const int lock = ::open((folder.path / "out").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(lock, LOCK_EX | LOCK_NB) == 0);
  const Outcome outcome = torsor(folder.path, {"run", "heavy_top_slow", "-o", "out"});
  ::close(lock);
  CHECK(outcome.code == 5);
  CHECK(contains(outcome.err, "in use"));
  CHECK(std::filesystem::is_empty(folder.path / "out"));
}

TEST_CASE("a run handles a standard output that is full, closed or a broken pipe") {
  const WorkFolder folder;
  const auto with_output = [&](const std::function<void()>& prepare) {
    return torsor(folder.path, {"run", "heavy_top_slow", "-o", "out", "--set", "run.end=0.1"}, prepare);
  };
  const Outcome full = with_output([] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); });
  CHECK(full.code == 4);
  CHECK(contains(full.err, "standard output"));
  CHECK(with_output([] { ::close(STDOUT_FILENO); }).code == 0);
  CHECK(with_output([] {
          for (const int descriptor : {0, 1, 2}) ::close(descriptor);
        }).code == 0);
  // An error message that cannot be written does not change the exit code.
  CHECK(torsor(folder.path, {"run", "nosuch"}, [] {
          ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO);
        }).code == 3);
  // A closed pipe ends the command silently, as SIGPIPE would, and the result is complete.
  std::filesystem::remove_all(folder.path / "out");
  const Outcome gone = with_output([] {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(126);
    ::close(ends[0]);
    ::dup2(ends[1], STDOUT_FILENO);
  });
  CHECK(gone.code == 128 + SIGPIPE);
  CHECK(gone.err.empty());
  CHECK(folder.has("out/heavy_top_slow.h5"));
}

TEST_CASE("scenes in the folder TORSOR_SCENES take precedence over the shipped ones") {
  const WorkFolder folder;
  folder.write("heavy_top_slow.toml", pushed_body("1", "2"));
  const Outcome outcome = torsor("/", {"run", "heavy_top_slow", "--json"},
                                 [&] { ::setenv("TORSOR_SCENES", folder.path.c_str(), 1); });
  CHECK(outcome.code == 0);
  CHECK(json::parse(outcome.out).at("bodies").contains("puck"));
}

TEST_CASE(
    "another method passes the singular configuration of a four-bar where the chosen one cannot, and a note "
    "names the joint and the condition number") {
  const WorkFolder folder;
  for (const char* formulation : {"tree", "absolute"}) {
    for (const char* stepping : {"integrator.step=1e-3", "integrator.tolerance=1e-8"}) {
      const Outcome outcome =
          torsor(folder.path, {"run", "n_fourbar_2", "--json", "--set", "integrator.method=hemk4", "--set",
                               std::string("integrator.formulation=") + formulation, "--set", stepping});
      CAPTURE(outcome.err);
      CHECK(outcome.code == 0);
      CHECK(json::parse(outcome.out).at("status") == "reached-end");
      CHECK(contains(
          outcome.err,
          "note: rkmk-dop853 took steps that hemk4 cannot take: the constraints nearly lose rank in \""));
      CHECK(contains(outcome.err, ": condition "));
    }
  }
}

TEST_CASE(
    "two links that are pulled beyond their reach end as singular at the constraint that pulls them, "
    "whatever the step size") {
  const WorkFolder folder;
  folder.write("pull.toml", R"(gravity = [0, -9.81, 0]
[run]
end = 2
[integrator]
consistent = "project"
[[body]]
repeat = 2
name = "link{i}"
mass = 1
inertia = [0.01, 0.1, 0.1]
[[joint]]
name = "A"
kind = "revolute"
child = "link0"
child_frame.position = [-0.5, 0, 0]
coordinates = "pi/4"
[[joint]]
name = "B"
kind = "revolute"
parent = "link0"
child = "link1"
parent_frame.position = [0.5, 0, 0]
child_frame.position = [-0.5, 0, 0]
coordinates = "-pi/2"
[[constraint]]
name = "pull"
kind = "point-driver"
point = {body = "link1", position = [0.5, 0, 0]}
target.position = ["sqrt(2) + 0.5*t", 0, 0]
along = ["x", "y"]
)");
  const auto run = [&](const char* method, const char* stepping) {
    return torsor(folder.path, {"run", "pull.toml", "--json", "--set",
                                std::string("integrator.method=") + method, "--set", stepping});
  };
  for (const char* method : {"rkmk-dopri5", "generalized-alpha", "hemk5", "lie-midpoint", "bliedf2"})
    for (const char* stepping : {"integrator.step=1e-3", "integrator.tolerance=1e-8"}) {
      if (find_method(method)->fixed_step_only && stepping == std::string("integrator.tolerance=1e-8"))
        continue;
      const Outcome outcome = run(method, stepping);
      CAPTURE(outcome.err);
      CHECK(outcome.code == 1);
      CHECK(json::parse(outcome.out).at("status") == "singular");
      CHECK(contains(outcome.err, "failed: the constraints nearly lose rank in \"pull\" at t = 1.17"));
      CHECK(contains(outcome.err, ": condition "));
    }
}

}  // namespace
}  // namespace torsor::test
