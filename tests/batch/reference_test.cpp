#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "some_study.hpp"

namespace torsor::test {
namespace {

/// The column "error" of a table, empty cells as NaN.
std::vector<double> errors_in(const std::string& table) {
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  const auto cells = [](const std::string& text) {
    std::vector<std::string> all;
    std::istringstream in(text + ",");
    for (std::string cell; std::getline(in, cell, ',');) all.push_back(cell);
    return all;
  };
  const std::vector<std::string> names = cells(line);
  const auto place = std::find(names.begin(), names.end(), "error") - names.begin();
  REQUIRE(place < static_cast<std::ptrdiff_t>(names.size()));
  std::vector<double> errors;
  while (std::getline(lines, line)) {
    if (line.starts_with("#")) continue;
    const std::string cell = cells(line).at(static_cast<std::size_t>(place));
    errors.push_back(cell.empty() ? NAN : std::stod(cell));
  }
  return errors;
}

/// The errors of the cases of a study.
std::vector<double> errors_of(const StudyFolder& folder, const batch::Study& study) {
  return errors_in(table_of(study, {.folder = folder.path / "out"}));
}

TEST_CASE(
    "each case has its error from the reference run: 0 for the same settings, and of the order of the "
    "method") {
  const StudyFolder folder;
  const batch::Study study = folder.study(
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.step\"\nvalues = [4e-3, 2e-3, 1e-4]\n"
      "[keep]\nreference = [\"integrator.step=1e-4\"]\n");
  const std::vector<double> errors = errors_of(folder, study);
  REQUIRE(errors.size() == 3);
  CHECK(errors[2] == 0);
  CHECK(errors[1] > 1e-12);
  CHECK(std::abs(std::log2(errors[0] / errors[1]) - 4) < 0.1);
}

TEST_CASE("a case that ends at another time than the reference run has no error") {
  const StudyFolder folder;
  const batch::Study study = folder.study(
      "[[parameter]]\nkind = \"list\"\nkey = \"run.end\"\nvalues = [0.05, 0.1]\n"
      "[keep]\nreference = [\"integrator.method=cf4\"]\n");
  const std::vector<double> errors = errors_of(folder, study);
  REQUIRE(errors.size() == 2);
  CHECK(std::isnan(errors[0]));
  CHECK(errors[1] > 0);
}

TEST_CASE("a reference run that does not reach its end is refused before the batch starts") {
  const StudyFolder folder;
  const batch::Study study = folder.study(
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.step\"\nvalues = [2e-3]\n"
      "[keep]\nreference = [\"run.max_steps=3\"]\n");
  try {
    run_batch(study, {.folder = folder.path / "out"});
    FAIL("not refused");
  } catch (const scene::SceneError& error) {
    CHECK(error.diagnostics.front().message ==
          "the reference run ended as step-limit: rkmk4: the limit of 3 steps was reached at t = 0.003");
  }
  CHECK_FALSE(folder.has("out"));
}

std::string shipped(const std::string& name) { return std::string(TORSOR_SCENES) + "/" + name + ".toml"; }

TEST_CASE(
    "constraints as equations of motion: the error from index 1 has the order of the method for each "
    "dynamic.rate") {
  const StudyFolder folder;
  const auto file = folder.write(
      "order.toml",
      "scene = \"spherical_pendulum_moving_support\"\n"
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.constraints\"\nvalues = [\"dynamic\"]\n"
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.method\"\nvalues = [\"rkmk4\"]\n"
      "[[parameter]]\nkind = \"list\"\nkey = \"dynamic.rate\"\nvalues = [2, 8, 32]\n"
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.step\"\nvalues = [5e-3, 2.5e-3]\n"
      "[keep]\nreference = [\"integrator.constraints=index-1\", \"integrator.tolerance=1e-12\"]\n");
  const batch::Study study = batch::load_study(file.string(), shipped);
  const std::vector<double> errors = errors_of(folder, study);
  REQUIRE(errors.size() == 6);
  for (std::size_t i = 0; i < errors.size(); i += 2)
    CHECK(std::abs(std::log2(errors[i] / errors[i + 1]) - 4) < 0.1);
}

TEST_CASE("constraint_dynamics: a low rate lets the constraint drift, a high rate makes the decay stiff") {
  const StudyFolder folder;
  const batch::Study study =
      batch::load_study(std::string(TORSOR_SCENES) + "/studies/constraint_dynamics.toml", shipped);
  const std::vector<double> errors = errors_of(folder, study);
  REQUIRE(errors.size() == 45);
  for (auto first = errors.begin(); first != errors.end(); first += 15) {
    CHECK(std::all_of(first, first + 15, [](double error) { return error < 2e-3; }));
    const double least = *std::min_element(first, first + 15);
    CHECK(first[0] > 10 * least);
    CHECK(first[14] > 10 * least);
  }
}

TEST_CASE("strong_friction: the distance from the ideal motion is proportional to eps") {
  const StudyFolder folder;
  const batch::Study study =
      batch::load_study(std::string(TORSOR_SCENES) + "/studies/strong_friction.toml", shipped);
  const std::vector<double> errors = errors_of(folder, study);  // eps grows by 10^(1/4) from case to case
  REQUIRE(errors.size() == 9);
  CHECK(std::log10(errors[1] / errors[0]) == doctest::Approx(0.25).epsilon(0.01));
  CHECK(std::log10(errors[4] / errors[0]) == doctest::Approx(1).epsilon(0.02));
}

TEST_CASE(
    "the notes of a run are in the message of its case, with lanes and without, and those of the reference "
    "in a comment") {
  const StudyFolder folder;
  write_swinging_top(folder);
  const std::string note = "note: energy minus work has drifted by ";
  const batch::Study study = folder.study(
      "[[parameter]]\nkind = \"list\"\nkey = \"integrator.step\"\nvalues = [0.4, 0.01]\n"
      "[keep]\nreference = [\"integrator.step=0.4\"]\n");
  std::string tables[2];
  for (const bool lanes : {false, true}) {
    const auto out = folder.path / (lanes ? "lanes" : "alone");
    tables[lanes] = table_of(study, {.folder = out, .lanes = lanes});
    const batch::BatchState state = batch::batch_state(out);
    CHECK(state.failed == 0);
    CHECK(state.noted == 1);
  }
  CHECK(tables[0] == tables[1]);
  const std::size_t first = tables[0].find("\n0,"), second = tables[0].find("\n1,");
  CHECK(tables[0].substr(first, second - first).find("reached-end," + note) != std::string::npos);
  CHECK(tables[0].find(note, second) == std::string::npos);
  CHECK(tables[0].find("# note: the reference run of [keep]: energy minus work has drifted by ") < first);
}

}  // namespace
}  // namespace torsor::test
