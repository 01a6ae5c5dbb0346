#include <doctest/doctest.h>

#include <csignal>

#include "command.hpp"
#include "support/contains.hpp"

namespace torsor::test {
namespace {

/// A pendulum that starts at 60 deg from rest and stops at its lowest position.
const char* const stopped_pendulum =
    "gravity = [0, 0, -9.81]\n[run]\nend = 10\n[[body]]\nname = \"bob\"\nmass = 1\ninertia = [1e-3, 1e-3, "
    "1e-3]\n"
    "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"bob\"\naxis = [0, 1, 0]\n"
    "child_frame.position = [0, 0, 1]\ncoordinates = \"60 deg\"\n"
    "[[event]]\nname = \"low\"\nquantity = \"joint-coordinate\"\njoint = \"hinge\"\naction = \"stop\"\n";

TEST_CASE("a stopping event that the scene asks for is neither a failure nor a warning") {
  const WorkFolder folder;
  folder.write("swing.toml", stopped_pendulum);
  const Outcome run = torsor(folder.path, {"run", "swing.toml", "-o", "out"});
  CHECK(run.code == 0);
  CHECK(run.err.empty());
  CHECK(run.out.starts_with("swing  ended as asked, by event \"low\" at t = 0.53"));
  CHECK(contains(torsor(folder.path, {"report", "out"}).out, "warnings  0"));
  CHECK(contains(read_text(folder.path / "out/report.html"),
                 "swing: ended as asked, by event &quot;low&quot; at t = "));
  const Outcome geometry = torsor(folder.path, {"geometry", "swing.toml", "--at", "5"});
  CHECK(geometry.err.starts_with("note: an event ends the run at t = 0.53"));
}

TEST_CASE("runs that an event ends are compared at the event") {
  const WorkFolder folder;
  folder.write("swing.toml", stopped_pendulum);
  const Outcome compare = torsor(
      folder.path, {"compare", "swing.toml", "--methods", "rkmk4", "--steps", "2e-2,1e-2,5e-3", "-o", "out"});
  CHECK(compare.code == 0);
  const std::string table = read_text(folder.path / "out/compare.csv");
  CHECK(contains(table, ",event,"));
  CHECK_FALSE(contains(table, "other-end"));
  CHECK_FALSE(contains(compare.out, " of 3\n"));  // printed where a run failed
}

TEST_CASE("a comparison that a signal stops reports the signal") {
  const WorkFolder folder;
  const Command compare(folder.path, {"compare", "heavy_top_bruls", "--steps", "1e-6", "-o", "out"});
  for (int waits = 0; waits < 3000 && !folder.has("out/cases/ledger.sqlite"); ++waits) ::usleep(20'000);
  compare.signal(SIGINT);
  const Outcome stopped = compare.wait();
  CHECK(stopped.code == 128 + SIGINT);
  CHECK(stopped.out.empty());
  CHECK(stopped.err == "torsor: stopped by signal 2 before the end; no comparison is written\n");
  CHECK_FALSE(folder.has("out/compare.html"));
}

TEST_CASE("the first signal stops curves that a geometry report follows") {
  const WorkFolder folder;
  folder.write("swing.toml",
               "[run]\nend = 1\n[chart]\ncoordinates = [\"x\"]\nstart = [1]\nmetric = [[1]]\npotential = "
               "\"x^2/2\"\n");
  const Command geometry(folder.path, {"geometry", "swing.toml", "--follow", "1e9"});
  geometry.wait_for_handler(SIGTERM);
  geometry.signal(SIGTERM);
  const Outcome stopped = geometry.wait();
  CHECK(stopped.code == 128 + SIGTERM);
  CHECK(contains(stopped.err, "cancelled"));
}

}  // namespace
}  // namespace torsor::test
