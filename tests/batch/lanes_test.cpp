#include "batch/lanes/lanes.hpp"

#include <doctest/doctest.h>

#include "model/random_tree.hpp"
#include "some_study.hpp"
#include "torsor/system/tree_system.hpp"

namespace torsor::test {
namespace {

using batch::Lanes, mechanics::LaneStep, mechanics::LaneStepper;

const std::vector<std::string> methods_in_lanes{"rkmk4",           "rkmk-ck54",   "rkmk-dopri5",
                                                "rkmk-fehlberg78", "rkmk-dop853", "cf4"};

constexpr std::size_t width = batch::lane_width;

/// The start of a step, and the results of a lane for it.
struct Pair {
  State x;
  double t, h;
  Vec q, v, error, chart, last_a;

  LaneStep asked(const Vec* a, const mechanics::PivotedBody<double>* body) {
    return {t,        h,        x.q.data(),   x.v.data(),   a ? a->data() : nullptr,
            q.data(), v.data(), error.data(), chart.data(), last_a.data(),
            body};
  }
};

/// Compares steps of systems[i] from states[i], with each lane empty in turn and some known slopes.
void check_steps(const std::vector<const TreeSystem*>& systems, const std::vector<State>& states,
                 const std::string& method, const Model* model) {
  const int nq = systems[0]->nq(), nv = systems[0]->nv();
  if (!is_available(batch::lane_isa)) return;
  const auto lanes = batch::make_lane_stepper(method, model);
  REQUIRE(lanes);
  for (std::size_t empty = 0; empty < width; ++empty) {
    std::vector<Pair> pairs;
    std::vector<Vec> slopes;
    for (std::size_t i = 0; i < width; ++i) {
      pairs.push_back({states[i], 0.1 * static_cast<double>(i), 0.01 + 0.002 * static_cast<double>(i),
                       Vec(nq), Vec(nv), Vec(2 * nv), Vec(nv), Vec(nv)});
      slopes.emplace_back(nv);
      systems[i]->acceleration(0, states[i].q, states[i].v, slopes.back());
    }
    std::vector<LaneStep> steps;
    std::vector<mechanics::PivotedBodies> tops;
    for (const TreeSystem* system : systems)
      if (mechanics::PivotedBodies::describe(system->model())) tops.emplace_back(system->model());
    for (std::size_t i = 0; i < pairs.size(); ++i)
      steps.push_back(
          pairs[i].asked(i % 3 == 1 ? &slopes[i] : nullptr, tops.empty() ? nullptr : &tops[i].body(0)));
    std::vector<LaneStep*> asked;
    for (std::size_t i = 0; i < steps.size(); ++i) asked.push_back(i == empty ? nullptr : &steps[i]);
    lanes->take(asked.data());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i == empty) continue;
      REQUIRE(steps[i].taken);
      const auto own = find_method(method)->make();
      State x = states[i];
      Vec error(2 * nv);
      REQUIRE(own->do_step(*systems[i], x, pairs[i].t, pairs[i].h, &error) == StepStatus::accepted);
      CHECK(pairs[i].q == x.q);
      CHECK(pairs[i].v == x.v);
      if (own->embedded_order() > 0) CHECK(pairs[i].error == error);
      if (x.memory.size() > 0) CHECK(pairs[i].last_a == x.memory.tail(nv));
      CHECK(steps[i].evaluations == own->evaluations() - (steps[i].a ? 1 : 0));
    }
  }
}

Mechanism top(double mass) {
  Body body;
  body.name = "top", body.mass = mass, body.inertia = (mass * Vec3(0.2, 0.4, 0.3)).asDiagonal();
  Joint pivot;
  pivot.name = "pivot", pivot.kind = JointKind::spherical, pivot.X_CM.p = Vec3(0.1, -1, 0.2);
  Mechanism mechanism;
  mechanism.bodies = {body}, mechanism.joints = {pivot};
  mechanism.forces = {{"gravity", UniformGravity{}}};
  return mechanism;
}

/// A study of ChainFolder's chain with random initial rates of its first joint. `more`: further parameters.
std::string chain_study(const std::string& more) {
  return "seed = 5\ndraws = 37\n"
         "[[parameter]]\nkind = \"uniform\"\nkey = \"joint.pin0.rates\"\nfrom = -3\nto = 3\n" +
         more + "[keep]\ncolumns = [\"body.rod2.x\"]\ntimes = [0.3, 1]\nevents = true\n";
}

class ChainFolder : public WorkFolder {
 public:
  explicit ChainFolder(const std::string& more = "") {
    std::string scene =
        "gravity = [0, 0, -9.81]\n[run]\nend = 1\noutput = 0.1\n"
        "[integrator]\nmethod = \"rkmk-dopri5\"\ntolerance = 1e-8\n";
    for (int i = 0; i < 3; ++i) {
      const std::string n = std::to_string(i);
      scene +=
          "[[body]]\nname = \"rod" + n + "\"\nmass = 1\ninertia = [0.01, 0.1, 0.1]\n[[joint]]\nname = \"pin" +
          n + "\"\nkind = \"" + (i == 1 ? "spherical" : "revolute") + "\"\n" +
          (i > 0 ? "parent = \"rod" + std::to_string(i - 1) + "\"\nparent_frame.position = [0.5, 0, 0]\n"
                 : "") +
          "child = \"rod" + n + "\"\nchild_frame.position = [-0.5, 0, 0]\n" + (i == 0 ? "rates = 1\n" : "");
    }
    write("chain.toml", scene + more);
  }
  batch::Study study(const std::string& lines) const {
    return batch::load_study(write("study.toml", "scene = \"chain.toml\"\n" + lines).string());
  }
};

}  // namespace

TEST_CASE("a step in a lane has the same bits as a step of the method itself") {
  Random random(321);
  const Model tree(random_tree(random, 12));
  const TreeSystem system(tree, 1);
  std::vector<State> states;
  for (int i = 0; i < 8; ++i) states.push_back(random_state(random, tree));
  const std::vector<const TreeSystem*> systems(8, &system);
  for (const std::string& method : methods_in_lanes) {
    CAPTURE(method);
    check_steps(systems, states, method, &tree);
  }
}

TEST_CASE("tops of one batch may have different parameters in each lane") {
  Random random(322);
  std::vector<std::unique_ptr<Model>> models;
  std::vector<std::unique_ptr<TreeSystem>> owned;
  std::vector<const TreeSystem*> systems;
  std::vector<State> states;
  for (int i = 0; i < 8; ++i) {
    models.push_back(std::make_unique<Model>(top(1 + i)));
    owned.push_back(std::make_unique<TreeSystem>(*models.back(), 1));
    systems.push_back(owned.back().get());
    REQUIRE(mechanics::PivotedBodies::describe(systems.back()->model()));
    states.push_back(random_state(random, *models.back()));
  }
  for (const std::string& method : methods_in_lanes) {
    CAPTURE(method);
    check_steps(systems, states, method, nullptr);
  }
}

TEST_CASE("lanes leave every byte of the table of an error-controlled tree batch unchanged") {
  const ChainFolder folder;
  const std::string masses = "[[parameter]]\nkind = \"list\"\nkey = \"body.rod1.mass\"\nvalues = [1, 2, 3]\n";
  for (const std::string& more : {std::string(), masses}) {
    const batch::Study study = folder.study(chain_study(more));
    const std::filesystem::path place = folder.path / (more.empty() ? "alike" : "mixed");
    const std::string alone = table_of(study, {.folder = place / "off", .threads = 1, .lanes = false});
    for (const int threads : {1, 3})
      CHECK(table_of(study, {.folder = place / std::to_string(threads),
                             .threads = threads,
                             .lanes = true,
                             .shuffle = static_cast<std::uint64_t>(threads)}) == alone);
  }
}

TEST_CASE("lanes take the steps and outputs of tops with the bits and the limits of a run alone") {
  const WorkFolder folder;
  const auto table = [&](const batch::Study& study, const std::string& name, bool lanes) {
    return table_of(study, {.folder = folder.path / name, .threads = 1, .lanes = lanes});
  };
  const std::vector<std::pair<std::string, std::string>> limits{
      {"", ""},
      {"integrator.tolerance", "[1e-3, 1e-6, 1e-12]"},
      {"integrator.first_step", "[1e-6, 0.01, 0.4]"},
      {"integrator.max_step", "[1e-4, 2e-3]"},
      {"integrator.min_step", "[1e-4, 3e-3]"},
      {"run.max_steps", "[1, 30, 151]"},
      {"run.output", "[2e-4, 0.4]"}};
  for (const std::string method : {"rkmk-ck54", "rkmk-dopri5", "rkmk-fehlberg78", "rkmk-dop853", "cf4"}) {
    CAPTURE(method);
    folder.write("top.toml",
                 "gravity = [0, 0, -9.81]\n[run]\nend = 0.4\noutput = 0.03\n[integrator]\nmethod = \"" +
                     method +
                     "\"\ntolerance = 1e-8\n[[body]]\nname = \"top\"\nmass = 15\n"
                     "inertia = [0.234375, 0.46875, 0.234375]\nangular_velocity_body = [0, 150, -4.61538]\n"
                     "[[joint]]\nname = \"pivot\"\nkind = \"spherical\"\nchild = \"top\"\n"
                     "child_frame.position = [0, -1, 0]\n");
    for (const auto& [key, values] : limits) {
      CAPTURE(key);
      std::string lines = "scene = \"top.toml\"\nseed = 3\ndraws = 5\n" + random_attitude +
                          "[[parameter]]\nkind = \"uniform\"\nkey = \"body.top.mass\"\nfrom = 10\nto = 20\n";
      if (!values.empty())
        lines += "[[parameter]]\nkind = \"list\"\nkey = \"" + key + "\"\nvalues = " + values + "\n";
      const batch::Study study = batch::load_study(
          folder.write("study.toml", lines + "[keep]\ncolumns = [\"body.top.z\"]\ntimes = [0.1, 0.31, 0.4]\n")
              .string());
      const std::string place = method + key;
      CHECK(table(study, place + "on", true) == table(study, place + "off", false));
    }
  }
}

TEST_CASE("lanes do not mix cases whose universal joints point in opposite directions") {
  const WorkFolder folder;
  folder.write("two.toml", R"(gravity = [0, 0, -9.81]
[run]
end = 1
[integrator]
method = "rkmk4"
step = 1e-2
[[body]]
repeat = 2
name = "b{i}"
mass = 1
inertia = [0.1, 0.2, 0.3]
[[joint]]
name = "base"
kind = "revolute"
child = "b0"
axis = [0, 1, 0]
child_frame.position = [0, 0, 0.3]
[[joint]]
name = "u"
kind = "universal"
parent = "b0"
child = "b1"
parent_frame.position = [0, 0, -0.3]
child_frame.position = [0, 0, -0.3]
coordinates = [0.4, 0.7]
)");
  const batch::Study study = batch::load_study(
      folder
          .write("study.toml",
                 "scene = \"two.toml\"\n[[parameter]]\nkind = \"list\"\nkey = \"joint.u.parent\"\nvalues = "
                 "[\"b0\", \"b1\"]\nzip = \"z\"\n[[parameter]]\nkind = \"list\"\nkey = \"joint.u.child\"\n"
                 "values = [\"b1\", \"b0\"]\nzip = \"z\"\n[keep]\ncolumns = [\"body.b1.x\"]\n")
          .string());
  const auto table = [&](const char* name, bool lanes) {
    return table_of(study, {.folder = folder.path / name, .threads = 1, .lanes = lanes});
  };
  CHECK(table("on", true) == table("off", false));
}

TEST_CASE("studies whose cases cannot share steps use one lane") {
  if (!batch::Fiber::available()) return;
  const int most = is_available(batch::lane_isa) ? batch::lane_width : 1;
  const ChainFolder chain;
  CHECK(Lanes::count(chain.study(chain_study(""))) == most);
  const ChainFolder windy(
      "[[force]]\nname = \"wind\"\nkind = \"body-force\"\nbody = \"rod2\"\nforce = [0, 1, 0]\n");
  CHECK(Lanes::count(windy.study(chain_study(""))) == 1);
  const StudyFolder tops_folder;
  CHECK(Lanes::count(tops_folder.study(tops(1))) == most);
  CHECK(Lanes::count(tops_folder.study(
            "[[parameter]]\nkind = \"list\"\nkey = \"integrator.method\"\nvalues = [\"lie-midpoint\"]\n")) ==
        1);
}

TEST_CASE("a fiber passes exceptions on to the caller and can be destroyed before its function ends") {
  if (!batch::Fiber::available()) return;
  std::string order;
  batch::Fiber* self = nullptr;
  batch::Fiber fiber([&] {
    order += 'a';
    self->stop();
    order += 'c';
    throw std::runtime_error("thrown inside");
  });
  self = &fiber;
  fiber.resume();
  order += 'b';
  CHECK(!fiber.ended());
  CHECK_THROWS_WITH_AS(fiber.resume(), "thrown inside", std::runtime_error);
  CHECK(fiber.ended());
  CHECK(order == "abc");

  bool destroyed = false;
  {
    struct Mark {
      bool& set;
      ~Mark() { set = true; }
    };
    batch::Fiber* inner = nullptr;
    batch::Fiber left([&] {
      const Mark mark{destroyed};
      inner->stop();
    });
    inner = &left;
    left.resume();
  }
  CHECK(destroyed);
}

}  // namespace torsor::test
