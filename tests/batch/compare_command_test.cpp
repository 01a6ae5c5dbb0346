#include <doctest/doctest.h>

#include "some_study.hpp"
#include "support/contains.hpp"

namespace torsor::test {
namespace {

TEST_CASE("compare writes three files and refuses wrong command lines") {
  const StudyFolder folder;
  const Outcome good = torsor(
      folder.path, {"compare", "top.toml", "--methods", "rkmk4,cf4", "--steps", "1e-3,5e-4", "-o", "out"});
  CHECK(good.code == 0);
  CHECK(good.err.empty());
  CHECK(contains(good.out, "reference error"));
  for (const char* file : {"out/compare.html", "out/compare.svg", "out/compare.csv"}) CHECK(folder.has(file));
  CHECK(contains(read_text(folder.path / "out/compare.html"), "its CPU time (s)"));
  const auto refused = [&](const std::vector<std::string>& arguments, int code, const std::string& part) {
    CAPTURE(part);
    const Outcome outcome = torsor(folder.path, arguments);
    CHECK(outcome.code == code);
    CHECK(contains(outcome.err, part));
  };
  refused({"compare"}, 2, "give either a SCENE or --gallery");
  refused({"compare", "top.toml", "--gallery"}, 2, "give either a SCENE or --gallery");
  refused({"compare", "top.toml", "--steps", "-1"}, 2, "--steps");
  refused({"compare", "top.toml", "--steps", "1", "--tolerances", "1"}, 2, "excludes");
  refused({"compare", "none.toml"}, 3, "no such file");
  refused({"compare", "top.toml", "--methods", "rkmk5", "--steps", "1e-3"}, 3, "rkmk5");
}

TEST_CASE(
    "compare tells if the reference file is a result of another scene, but not if only the run differs") {
  const StudyFolder folder;
  const auto told = [&](const std::string& setting) {
    REQUIRE(torsor(folder.path, {"run", "top.toml", "--quiet", "-o", "r", "--set", setting}).code == 0);
    const Outcome all = torsor(folder.path, {"compare", "top.toml", "--methods", "rkmk4", "--steps", "1e-3",
                                             "--reference", "r", "-o", "out"});
    CHECK(all.code == 0);
    return contains(read_text(folder.path / "out/compare.html"),
                    "its scene differs from this one in more than [run] and [integrator]");
  };
  CHECK_FALSE(told("integrator.method=rkmk-dop853"));
  CHECK_FALSE(told("run.output=0.05"));
  CHECK(told("body.top.mass=20"));
}

TEST_CASE("a comparison of a scene that no run accepts gives the place of the error") {
  const StudyFolder folder;
  folder.write("top.toml",
               "run.end = 1\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n"
               "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nchild = \"ground\"\naxis = [0, 0, 1]\n");
  const Outcome refused = torsor(folder.path, {"compare", "top.toml", "--steps", "0.1", "-o", "out"});
  CHECK(refused.code == 3);
  CHECK(contains(refused.err, "(top.toml:6:1: error: joint \"j\": both its ends are on the ground)"));
}

TEST_CASE("compare gives the notes of runs") {
  const StudyFolder folder;
  write_swinging_top(folder);
  const Outcome all =
      torsor(folder.path, {"compare", "top.toml", "--methods", "rkmk4", "--steps", "0.4,0.01", "-o", "out"});
  CHECK(all.code == 0);
  CHECK(contains(all.out, "1 of 2"));
  const std::string note = "note: energy minus work has drifted by ";
  CHECK(contains(read_text(folder.path / "out/compare.csv"), note));
  CHECK(contains(read_text(folder.path / "out/compare.html"), note));
}

TEST_CASE("compare refuses a group in which the rates of a free joint are another motion") {
  const StudyFolder folder;
  const std::string body = "run.end = 1\n[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 2, 2]\n",
                    joint = "[[joint]]\nname = \"j\"\nkind = \"free\"\nchild = \"b\"\n";
  const auto compared = [&](const std::string& scene) {
    folder.write("free.toml", scene);
    return torsor(folder.path, {"compare", "free.toml", "--methods", "rkmk4", "--groups", "direct,semidirect",
                                "--steps", "0.1,0.05", "-o", "out"});
  };
  const Outcome rates = compared(body + joint + "rotation_vector = [0, 0, 1]\nrates = [1, 0, 0, 1, 2, 3]\n");
  CHECK(rates.code == 0);
  CHECK(contains(rates.out,
                 "rkmk4, semidirect: body \"b\" starts with another velocity in this group, so it would be "
                 "another motion: the axes of the \"rates\" of a free joint depend on the group; give the "
                 "velocity of its body in place of \"rates\""));
  for (const std::string same :
       {"rates = [1, 0, 0, 1, 2, 3]\n", "rotation_vector = [0, 0, 1]\nrates = [0, 0, 2, 1, 2, 3]\n"})
    CHECK_FALSE(contains(compared(body + joint + same).out, "another motion"));
  const Outcome velocity =
      compared(body + "velocity_world = [1, 0, 0]\nangular_velocity_body = [1, 2, 3]\n" + joint);
  CHECK(velocity.code == 0);
  CHECK_FALSE(contains(velocity.out, "another motion"));
}

TEST_CASE("compare refuses a group in which the start is completed to another place") {
  const StudyFolder folder;
  folder.write(
      "pinned.toml",
      "run.end = 1\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [0.1, 0.2, 0.3]\n"
      "[[constraint]]\nname = \"pin\"\nkind = \"point-driver\"\n"
      "point = {body = \"a\", position = [0.3, 0.2, 0.1]}\ntarget = {position = [0.7, 0.5, 0.2]}\n");
  const Outcome pinned = torsor(folder.path, {"compare", "pinned.toml", "--methods", "rkmk4", "--groups",
                                              "direct,semidirect", "--steps", "0.1,0.05", "-o", "out"});
  CHECK(pinned.code == 0);
  CHECK(contains(
      pinned.out,
      "rkmk4, semidirect: body \"a\" starts with another position in this group, so it would be "
      "another motion: what the scene does not give, or \"project\" moves, is found along the curves "
      "of the group; give a whole and consistent start"));
}

}  // namespace
}  // namespace torsor::test
