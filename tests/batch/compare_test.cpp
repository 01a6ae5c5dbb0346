#include "torsor/batch/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "io/result.hpp"
#include "some_study.hpp"
#include "support/contains.hpp"
#include "torsor/io/stored_result.hpp"

namespace torsor::test {
namespace {

/// A folder with a scene of a top that runs for 0.1 s.
class TopFolder : public StudyFolder {
 public:
  batch::Comparison compared(batch::CompareOptions options) const {
    options.folder = path / "out";
    options.threads = 2;
    return compare(scene::SceneSource((path / "top.toml").string()), options);
  }
};

TEST_CASE("errors fall with the order of each method, and steps and evaluations are counted") {
  const TopFolder folder;
  const batch::Comparison all = folder.compared(
      {.methods = {"rkmk4", "cf4", "cg3", "lie-midpoint"}, .steps = {2e-3, 1e-3, 5e-4, 2.5e-4}});
  CHECK(all.reference.estimated);
  CHECK(all.reference.own_error < 1e-11);
  REQUIRE(all.runs.size() == 16);
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(all.combinations[i].label);
    CHECK(all.observed_order(i).value() == doctest::Approx(all.combinations[i].order).epsilon(0.08));
    for (std::size_t k = 1; k < 4; ++k) {
      const batch::ComparedRun &coarse = all.runs[4 * i + k - 1], &fine = all.runs[4 * i + k];
      CHECK(fine.good());
      CHECK(fine.error < coarse.error);
      CHECK(fine.steps == 2 * coarse.steps);
      CHECK(fine.evaluations > coarse.evaluations);
      CHECK(fine.cpu_s > 0);
    }
  }
}

TEST_CASE("runs with shortened steps show no order, or that of their mean steps") {
  batch::Comparison all;
  all.reference.estimated = true;
  const auto add = [&](double step, double steps, double error) {
    all.runs.push_back({.control = step, .status = "event", .message = "", .error = error, .steps = steps});
  };
  for (const double step : {8e-2, 4e-2, 2e-2}) add(step, 500, 1e-4);  // samples every 10 ms shorten the steps
  CHECK_FALSE(all.observed_order(0));
  add(5e-3, 1000, 1e-4 / 16), add(2.5e-3, 2000, 1e-4 / 256);
  for (const int left : {5, 3}) {  // three shortened runs, then one
    all.runs.erase(all.runs.begin(), all.runs.end() - left);
    CHECK(all.observed_order(0).value() == doctest::Approx(4));
  }
}

TEST_CASE("refused combinations are listed and the others run; an error is thrown if all are refused") {
  const TopFolder folder;
  const batch::Comparison all = folder.compared({.methods = {"rkmk4", "generalized-alpha"},
                                                 .groups = {"direct", "semidirect"},
                                                 .constraints = {"index-2"},
                                                 .steps = {1e-3}});
  CHECK(all.runs.size() == 2);
  REQUIRE(all.combinations.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(all.combinations[i].refused.empty() == (i >= 2));
  for (const batch::ComparedRun& run : all.runs) CHECK(run.good());
  CHECK(contains(all.combinations[0].refused, "rkmk4"));
  const std::string page = comparison_page(all);
  CHECK(contains(comparison_csv(all), "rkmk4,direct,,,index-2,,refused,,,,,,,,"));
  CHECK(contains(page, "Refused, failed, or with a note"));
  CHECK(contains(page, "rkmk4, semidirect"));
  CHECK(contains(comparison_svg(all), "Error over evaluations (lower left is better)"));
  CHECK_THROWS_AS(folder.compared({.methods = {"rkmk4"}, .constraints = {"index-2"}, .steps = {1e-3}}),
                  std::invalid_argument);
}

TEST_CASE("a group whose error differs from that of the other by rounding only is not called better") {
  const TopFolder folder;
  batch::Comparison all =
      folder.compared({.methods = {"rkmk4"}, .groups = {"direct", "semidirect"}, .steps = {1e-3}});
  REQUIRE(all.runs.size() == 2);
  const double error = all.runs[0].error = 2e-5;
  for (const auto& [ratio, told] : {std::pair(1 - 1e-12, "in 0 of 1 pairs of runs, the direct product in 0."),
                                    std::pair(0.5, "in 1 of 1 pairs of runs, the direct product in 0."),
                                    std::pair(2., "in 0 of 1 pairs of runs, the direct product in 1.")}) {
    all.runs[1].error = ratio * error;
    CHECK(contains(comparison_page(all), std::string("has the smaller error ") + told));
  }
}

TEST_CASE(
    "connections are compared: canonical ones give equal runs, christoffel selects a method along "
    "geodesics") {
  const StudyFolder folder;
  const auto compared = [&](const std::string& scene, std::vector<std::string> connections) {
    const auto path = std::filesystem::path(TORSOR_TESTS).parent_path() / "scenes" / (scene + ".toml");
    return batch::compare(scene::SceneSource(path.string()), {.connections = std::move(connections),
                                                              .steps = {0.5, 0.25},
                                                              .folder = folder.path / "out",
                                                              .threads = 2});
  };
  const batch::Comparison all = compared(
      "spherical_motion_body", {"canonical-minus", "canonical-zero", "canonical-plus", "christoffel"});
  REQUIRE(all.combinations.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(all.combinations[i].method == all.combinations[0].method);
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK(all.runs[2 * i + k].good());
      CHECK(all.runs[2 * i + k].error == all.runs[k].error);
    }
  }
  CHECK(all.combinations[3].method == "geodesic-verlet");
  CHECK(all.combinations[3].label == "geodesic-verlet, christoffel");
  // No force acts on the body, so its motion is a geodesic.
  for (std::size_t k = 6; k < 8; ++k) CHECK(all.runs[k].error <= 30 * all.floor());
  CHECK(contains(comparison_csv(all), ",,,canonical-zero,,0.25,reached-end,"));

  const batch::Comparison chart = compared("spherical_motion_313_canonical", {"christoffel", "canonical"});
  REQUIRE(chart.combinations.size() == 2);
  for (const batch::Combination& one : chart.combinations) CHECK(one.refused.empty());
  CHECK(chart.combinations[0].method == chart.combinations[1].method);
}

TEST_CASE("a comparison states the units of all quantities that have one") {
  batch::Comparison all;
  all.reference = {.how = "a run", .status = "reached-end", .own_error = 2e-14, .size = 1, .estimated = true};
  all.unit = "m";
  all.combinations.push_back({.method = "rkmk4",
                              .group = "",
                              .formulation = "",
                              .connection = "",
                              .constraints = "",
                              .refused = "",
                              .label = "rkmk4"});
  all.runs.push_back(
      {.combination = 0, .control = 0.1, .status = "reached-end", .message = "", .error = 1e-3});
  CHECK(all.about_reference() == "Reference: a run. Its own error is about 2e-14 m.");
  CHECK(contains(comparison_csv(all), "\n# unit: ,,,,,s,,m,s,1,1,J,m or rad,m/s or rad/s,\n"));
  const std::string page = comparison_page(all);
  for (const char* label : {"step (s)", "error (m)", "drift (J)", "position residual (m or rad)",
                            "velocity residual (m/s or rad/s)"})
    CHECK(contains(page, label));
  all.unit = "", all.in_coordinates = true, all.by_step = false;
  CHECK(all.about_reference() == "Reference: a run. Its own error is about 2e-14.");
  CHECK(contains(comparison_csv(all), "\n# unit: ,,,,,1,,,s,1,1,J,,,\n"));
}

TEST_CASE(
    "colours distinguish methods, dashes groups, hollow marks formulations; one legend also gives the "
    "orders") {
  const TopFolder folder;
  const batch::Comparison all = folder.compared({.methods = {"rkmk4", "cg3"},
                                                 .groups = {"direct", "semidirect"},
                                                 .formulations = {"tree", "absolute"},
                                                 .steps = {1e-3, 5e-4}});
  const std::string svg = comparison_svg(all), page = comparison_page(all);
  const auto count = [](const std::string& text, const std::string& part) {
    long found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  REQUIRE(all.combinations.size() == 8);
  CHECK(count(svg, "rkmk4, semidirect, absolute (order 4.") +
            count(svg, "rkmk4, semidirect, absolute (order 3.9)") ==
        1);
  CHECK(count(page, "cg3, direct, tree (order 3.0)") == 1);
  const auto line = [&](const std::string& label) {  // an entry of the legend: a path, a mark, the text
    const auto text = svg.find('>' + label), path = svg.rfind("<path", text);
    return svg.substr(path, text - path);
  };
  const auto has = [&](const std::string& label, const std::string& part) {
    return contains(line(label), part);
  };
  for (const std::string method : {"rkmk4", "cg3"})
    for (const std::string group : {"direct", "semidirect"})
      for (const std::string formulation : {"tree", "absolute"}) {
        const std::string label = method + ", " + group + ", " + formulation + " (";
        CAPTURE(label);
        CHECK(has(label, method == "rkmk4" ? "#1f5fbf" : "#d9641e"));
        CHECK(has(label, method == "rkmk4" ? "<circle" : "<polygon"));
        CHECK(has(label, "dasharray") == (group == "semidirect"));
        CHECK(has(label, "fill=\"#ffffff\"") == (formulation == "absolute"));
      }
}

TEST_CASE("the gallery shows each shipped scene or gives the reason why it does not") {
  const std::filesystem::path root = std::filesystem::path(TORSOR_TESTS).parent_path();
  const std::string page = read_text(root / "docs/gallery/README.md");
  for (const auto& entry : std::filesystem::directory_iterator(root / "scenes"))
    if (entry.path().extension() == ".toml") {
      const std::string scene = entry.path().stem().string();
      CAPTURE(scene);
      const bool shown = contains(page, "](" + scene + ".svg)");
      const auto rest = page.find("## Left out");
      REQUIRE(rest != std::string::npos);
      const bool told = contains(page.substr(rest), scene + ",") || contains(page.substr(rest), scene + ":");
      CHECK(shown != told);
      CHECK(std::filesystem::exists(root / "docs/gallery" / (scene + ".svg")) == shown);
    }
}

TEST_CASE("a comparison by tolerance against a result file can be repeated in the same folder") {
  const TopFolder folder;
  REQUIRE(torsor(folder.path, {"run", "top.toml", "--quiet", "-o", "best", "--set",
                               "integrator.method=rkmk-dop853", "--set", "integrator.tolerance=1e-12"})
              .code == 0);
  batch::CompareOptions options{
      .methods = {"rkmk-dopri5"}, .tolerances = {1e-6, 1e-9}, .reference = (folder.path / "best").string()};
  for (int again = 0; again < 2; ++again) {
    const batch::Comparison all = folder.compared(options);
    CHECK_FALSE(all.reference.estimated);
    CHECK(all.reference.how.ends_with("rkmk-dop853, tolerance 1e-12"));
    CHECK_FALSE(all.observed_order(0));
    REQUIRE(all.runs.size() == 2);
    CHECK(all.runs[1].error < all.runs[0].error);
    CHECK(all.runs[1].error < 1e-7);
  }
  // The file (step 2 ms) has a greater error than the runs, so the slope of their errors is not an order.
  REQUIRE(torsor(folder.path, {"run", "top.toml", "--quiet", "-o", "coarse", "--set", "integrator.step=2e-3"})
              .code == 0);
  const batch::Comparison coarse = folder.compared(
      {.methods = {"rkmk4"}, .steps = {1e-3, 5e-4}, .reference = (folder.path / "coarse").string()});
  CHECK(coarse.runs[1].error > coarse.runs[0].error);
  CHECK_FALSE(coarse.observed_order(0));
  CHECK(contains(coarse.about_reference(), "Its own error is not known, so no order is observed."));
  REQUIRE(torsor(folder.path, {"run", "top.toml", "--quiet", "-o", "short", "--set", "run.end=0.05"}).code ==
          0);
  options.reference = (folder.path / "short").string();
  CHECK_THROWS_WITH_AS(
      folder.compared(options),
      doctest::Contains("is not a reference for this scene: it ends at t = 0.05 s, not at 0.1 s"),
      io::ResultError);
}

TEST_CASE(
    "the reference uses a connection and constraints of its own where it cannot use those of the scene") {
  const TopFolder folder;
  batch::CompareOptions options{.steps = {2e-2, 1e-2}, .folder = folder.path / "out"};
  const std::string start =
      "[run]\nend = 0.2\n[[body]]\nname = \"arm\"\nmass = 2\ninertia = [0.1, 0.2, 0.3]\n";
  folder.write("fixed.toml",
               "gravity = [0, 0, -9.81]\n[integrator]\nmethod = \"hemk4\"\nconstraints = \"index-2\"\n"
               "step = 1e-2\nformulation = \"absolute\"\n" +
                   start +
                   "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"arm\"\naxis = [0, 1, 0]\n"
                   "child_frame.position = [0, 0, 1]\ncoordinates = 1\n");
  const batch::Comparison fixed = compare(scene::SceneSource((folder.path / "fixed.toml").string()), options);
  CHECK(fixed.reference.estimated);
  REQUIRE(fixed.runs.size() == 2);
  CHECK(fixed.runs[1].error < fixed.runs[0].error);
  folder.write("geodesic.toml",
               "gravity = [0, 0, -9.81]\n[integrator]\nconnection = \"christoffel\"\nstep = 1e-2\n" + start +
                   "rotation_vector = [0.3, 0, 0]\nangular_velocity_body = [0.2, 0.1, 5]\n"
                   "[[joint]]\nname = \"pivot\"\nkind = \"spherical\"\nchild = \"arm\"\n"
                   "child_frame.position = [0, 0, -1]\n");
  CHECK(compare(scene::SceneSource((folder.path / "geodesic.toml").string()), options).reference.estimated);
}

TEST_CASE("mechanisms are compared also if their states have more numbers than a table has columns") {
  const TopFolder folder;
  folder.write("top.toml",
               "[run]\nend = 0.2\n[[body]]\nrepeat = 160\nname = \"body{i}\"\nmass = 2\n"
               "inertia = [0.1, 0.2, 0.25]\nangular_velocity_body = [0.1, 3, 0.2]\n");
  const batch::Comparison all = folder.compared({.methods = {"rkmk4"}, .steps = {5e-2, 2.5e-2}});
  REQUIRE(all.runs.size() == 2);
  CHECK(all.compared == batch::Compared::attitudes);
  for (const batch::ComparedRun& run : all.runs) CHECK(run.good());
  CHECK(all.runs[1].error < all.runs[0].error / 10);
}

TEST_CASE("a comparison locks its folder until its files are written, and removes no other batch") {
  const TopFolder folder;
  const std::filesystem::path out = folder.path / "out", cases = out / "cases";
  batch::CompareOptions options{.methods = {"rkmk4"}, .steps = {1e-3}};
  bool done = false;
  options.done = [&](const batch::Comparison&) {
    done = true;
    CHECK_THROWS_AS(io::ResultFolder{out}, io::IoError);
  };
  folder.compared(options);
  CHECK(done);
  const std::string before = read_text(cases / "table.csv");
  for (const std::filesystem::path& used : {out, cases}) {
    const io::ResultFolder locked(used);
    CHECK_THROWS_AS(folder.compared(options), io::IoError);
    CHECK(read_text(cases / "table.csv") == before);
  }
  std::filesystem::remove_all(cases);
  const std::string table = table_of(folder.study(tops(2)), {.folder = cases});
  CHECK_THROWS_WITH_AS(folder.compared(options),
                       doctest::Contains("holds a batch that is not from a comparison"),
                       std::invalid_argument);
  CHECK(read_text(cases / "table.csv") == table);
  CHECK(batch::batch_state(cases).done == 4);
}

TEST_CASE("methods are compared by their error in work where the constraints prescribe the whole motion") {
  const TopFolder folder;
  folder.write(
      "driven.toml",
      "gravity = [0, 0, -9.81]\n[run]\nend = 0.5\n[integrator]\nmethod = \"rkmk4\"\nstep = 1e-2\n"
      "[[body]]\nname = \"arm\"\nmass = 2\ninertia = [0.1, 0.2, 0.3]\n"
      "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"arm\"\naxis = [0, 1, 0]\n"
      "child_frame.position = [0, 0, 1]\ncoordinates = 0\n"
      "[[constraint]]\nname = \"motor\"\nkind = \"driver\"\njoint = \"hinge\"\nvalue = \"sin(3*t)\"\n");
  batch::CompareOptions options{.methods = {"generalized-alpha", "rkmk4"},
                                .steps = {2e-2, 1e-2, 5e-3, 2.5e-3}};
  options.folder = folder.path / "out";
  const batch::Comparison all = compare(scene::SceneSource((folder.path / "driven.toml").string()), options);
  CHECK(all.compared == batch::Compared::work);
  CHECK(all.unit == "J");
  for (std::size_t i = 0; i < 2; ++i) {
    const auto order = all.observed_order(i);
    REQUIRE(order);
    CHECK(*order == doctest::Approx(all.combinations[i].order).epsilon(0.15));
  }
  CHECK(contains(comparison_page(all), "so every position is right to rounding"));
}

TEST_CASE(
    "attitudes are compared where all mass centres are right, and end times where an event fixes the end") {
  const TopFolder folder;
  const auto compared = [&](const std::string& scene) {
    const batch::CompareOptions options{
        .methods = {"rkmk4", "lie-midpoint"}, .steps = {4e-2, 2e-2, 1e-2}, .folder = folder.path / "out"};
    return compare(scene::SceneSource(folder.write("scene.toml", scene).string()), options);
  };
  const std::string body =
      "[integrator]\nmethod = \"rkmk4\"\nstep = 1e-2\n"
      "[[body]]\nname = \"body\"\nmass = 1\ninertia = [0.8, 1.3, 1.9]\n";
  const batch::Comparison turning =
      compared("[run]\nend = 2\n" + body + "angular_velocity_body = [1.2, 0.5, 0.9]\n");
  CHECK(turning.compared == batch::Compared::attitudes);
  CHECK(turning.unit == "rad");
  for (std::size_t i = 0; i < 2; ++i) {
    const auto order = turning.observed_order(i);
    REQUIRE(order);
    CHECK(*order == doctest::Approx(turning.combinations[i].order).epsilon(0.1));
  }
  const batch::Comparison swinging =
      compared("gravity = [0, 0, -9.81]\n[run]\nend = 10\n" + body +
               "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"body\"\naxis = [0, 1, 0]\n"
               "child_frame.position = [0, 0, 1]\ncoordinates = 1\n"
               "[[event]]\nname = \"low\"\nquantity = \"joint-coordinate\"\njoint = \"hinge\"\nvalue = -0.5\n"
               "action = \"stop\"\n");
  CHECK(swinging.compared == batch::Compared::end_time);
  CHECK(swinging.unit == "s");
  REQUIRE(swinging.runs.size() == 6);
  for (const std::size_t first : {0, 3})
    CHECK(swinging.runs[first + 2].error < swinging.runs[first].error / 3);
  for (const batch::Comparison& all : {turning, swinging}) {
    CHECK(contains(comparison_page(all), all.about_errors()));
    CHECK_FALSE(contains(comparison_page(all), "determine the motion"));
  }
}

TEST_CASE("the numbers of a run that failed are NaN") {
  const TopFolder folder;
  const batch::Comparison all = folder.compared({.methods = {"lie-midpoint"}, .steps = {1e-3, 1}});
  REQUIRE(all.runs.size() == 2);
  CHECK(all.runs[0].good());
  CHECK(all.runs[0].error > 0);
  CHECK_FALSE(all.runs[1].good());
  CHECK(std::isnan(all.runs[1].error));
  CHECK(std::isnan(all.runs[1].drift));
}

TEST_CASE("residuals are blank where an event ends the runs before the first output") {
  const TopFolder folder;
  folder.write("swing.toml",
               "gravity = [0, 0, -9.81]\n[run]\nend = 10\n[integrator]\nmethod = \"rkmk4\"\nstep = 1e-2\n"
               "[[body]]\nname = \"arm\"\nmass = 2\ninertia = [0.1, 0.2, 0.3]\n"
               "[[joint]]\nname = \"hinge\"\nkind = \"revolute\"\nchild = \"arm\"\naxis = [0, 1, 0]\n"
               "child_frame.position = [0, 0, 1]\ncoordinates = 0.2\n"
               "[[event]]\nname = \"low\"\nquantity = \"joint-coordinate\"\njoint = \"hinge\"\nvalue = 0.15\n"
               "action = \"stop\"\n");
  batch::CompareOptions options{.methods = {"rkmk4"},
                                .groups = {"direct", "semidirect"},
                                .formulations = {"absolute"},
                                .steps = {1e-2}};
  options.folder = folder.path / "out";
  const batch::Comparison all = compare(scene::SceneSource((folder.path / "swing.toml").string()), options);
  REQUIRE(all.runs.size() == 2);
  for (const batch::ComparedRun& run : all.runs) {
    CHECK(run.status == "event");
    CHECK(std::isnan(run.position_residual));
    CHECK(std::isnan(run.velocity_residual));
  }
  const std::string csv = comparison_csv(all);
  CHECK_FALSE(contains(csv, "nan"));
  CHECK(contains(csv, ",,,event 'low' at t = "));
  CHECK_FALSE(contains(comparison_page(all), "The greatest position residual"));
}

}  // namespace
}  // namespace torsor::test
