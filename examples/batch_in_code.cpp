// A batch and a comparison from C++: a pendulum from ten angles, and the observed orders of two methods.
#include <cmath>
#include <cstdio>
#include <fstream>

#include "torsor/batch/batch.hpp"
#include "torsor/batch/compare.hpp"

using namespace torsor;

namespace {

constexpr const char* pendulum = R"(
gravity = [0, 0, -9.81]
run = {end = "2 s", output = "1 s"}
integrator = {method = "rkmk-dopri5", tolerance = 1e-9}

[[body]]
name = "bob"
mass = 1
inertia = [0.01, 0.01, 0.01]

[[joint]]
name = "hinge"
kind = "revolute"
child = "bob"
axis = [0, 1, 0]
coordinates = [0.5]
child_frame.position = [0, 0, 1]
)";

constexpr const char* angles = R"(
scene = "pendulum.toml"

[[parameter]]
kind = "range"
key = "joint.hinge.coordinates.0"
from = 0.3
to = 3
count = 10

[keep]
columns = ["body.bob.z"]
)";

}  // namespace

int main() {
  const std::filesystem::path folder = "batch_in_code";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "pendulum.toml") << pendulum;
  std::ofstream(folder / "angles.toml") << angles;

  const batch::Study study = batch::load_study((folder / "angles.toml").string());
  batch::BatchOptions options;
  options.folder = folder / "angles";
  const batch::BatchSummary summary = batch::run_batch(study, options);
  std::printf("%ld of %ld cases, %ld failed; table in %s\n", static_cast<long>(summary.state.done),
              static_cast<long>(summary.state.cases), static_cast<long>(summary.state.failed),
              summary.table.c_str());

  batch::CompareOptions wanted;
  wanted.methods = {"rkmk4", "lie-midpoint"};
  wanted.steps = {0.04, 0.02, 0.01};
  wanted.folder = folder / "compare";
  const batch::Comparison comparison = batch::compare(scene::SceneSource(pendulum, "pendulum.toml"), wanted);
  bool good = summary.complete && summary.state.failed == 0;
  for (const batch::ComparedRun& run : comparison.runs)
    std::printf("%-12s  step %.2f s  error %.1e %s\n", comparison.combinations[run.combination].label.c_str(),
                run.control, run.error, comparison.unit.c_str());
  for (std::size_t i = 0; i < comparison.combinations.size(); ++i) {
    const double order = comparison.observed_order(i).value_or(0);
    std::printf("%-12s  order %.1f\n", comparison.combinations[i].label.c_str(), order);
    good = good && std::abs(order - comparison.combinations[i].order) < 0.5;
  }
  return good ? 0 : 1;
}
