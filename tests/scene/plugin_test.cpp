#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "../support/greatest.hpp"
#include "support.hpp"

// Forces and constraints from compiled libraries. tests/scene/plugins/plugin.cpp defines them.

namespace torsor {
namespace {

/// Allows plugins while it lives.
class PluginsAllowed {
 public:
  PluginsAllowed() { ::setenv("TORSOR_PLUGINS", "1", 1); }
  ~PluginsAllowed() { ::unsetenv("TORSOR_PLUGINS"); }
  PluginsAllowed(const PluginsAllowed&) = delete;
  PluginsAllowed& operator=(const PluginsAllowed&) = delete;
};

const std::string plugin_folder = TORSOR_TEST_PLUGINS;

/// A bob, and further tables.
std::string with_bob(const std::string& tables) {
  return "[run]\nend = 1\noutput = 0.25\n[[particle]]\nname = \"bob\"\nmass = 2\nposition = [0.6, 0.8, 0.1]\n"
         "velocity_world = [0.3, -0.2, 0.5]\n" +
         tables;
}

/// A table of kind "plugin" that acts on the bob; its first line is line 9 of the scene.
std::string plugin(const std::string& library, const std::string& lines = {},
                   const std::string& table = "force") {
  return with_bob("[[" + table + "]]\nname = \"p\"\nkind = \"plugin\"\nlibrary = \"" + library +
                  "\"\nbodies = [\"bob\"]\n" + lines);
}

scene::Scene scene_of(const std::string& text, const scene::Overrides& overrides = {}) {
  return scene::parse_scene(text, plugin_folder + "/scene", overrides);
}

/// All messages, without the folder; "accepted" if there are none.
std::string messages(const std::string& text, const scene::Overrides& overrides = {}) {
  const PluginsAllowed allowed;
  try {
    scene::prepare(scene_of(text, overrides));
    return "accepted";
  } catch (const scene::SceneError& error) {
    std::string all = error.what();
    for (std::size_t at; (at = all.find(plugin_folder + "/")) != all.npos;)
      all.erase(at, plugin_folder.size() + 1);
    return all;
  }
}

Trajectory run_of(const std::string& text, const scene::Overrides& overrides = {}) {
  const PluginsAllowed allowed;
  const scene::Scene scene = scene_of(text, overrides);
  return scene::run(scene, scene::prepare(scene), scene.run);
}

/// Checks that two motions agree up to `tolerance` in position, velocity, potential energy and work, and up
/// to ten times `tolerance` in acceleration.
void check_same(const Trajectory& a, const Trajectory& b, double tolerance) {
  REQUIRE(a.summary.message == "");
  REQUIRE(b.summary.message == "");
  REQUIRE(a.samples.size() == b.samples.size());
  REQUIRE(a.samples.size() == 5);
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    const Sample &one = a.samples[i], &other = b.samples[i];
    CHECK(test::greatest(one.bodies[0].x - other.bodies[0].x) < tolerance);
    CHECK(test::greatest(one.bodies[0].v - other.bodies[0].v) < tolerance);
    CHECK(test::greatest(one.bodies[0].vdot - other.bodies[0].vdot) < 10 * tolerance);
    CHECK(std::abs(one.invariants.potential - other.invariants.potential) < tolerance);
    CHECK(std::abs(one.invariants.work - other.invariants.work) < tolerance);
  }
}

const std::string implicit = "[integrator]\nmethod = \"generalized-alpha\"\nstep = 0.01\n";
const std::string explicit_method = "[integrator]\nmethod = \"rkmk-dop853\"\ntolerance = 1e-10\n";

}  // namespace

TEST_CASE(
    "a plugin that defines a spring and a damper gives the motion, energy and work of the built-in spring") {
  const std::string built_in =
      "[[force]]\nname = \"s\"\nkind = \"spring\"\nfrom = {body = \"bob\"}\nto = {body = \"ground\"}\n";
  for (const std::string& method : {explicit_method, implicit})
    for (const char* formulation : {"tree", "absolute"})
      for (const char* stiffness : {"40", "\"40 + 20*sin(3*t) N/m\""}) {
        CAPTURE(stiffness);
        const scene::Overrides form{{"integrator.formulation", formulation}};
        const std::string values = std::string("stiffness = ") + stiffness +
                                   "\nrest_length = \"0.5 + 0.01*t\"\ndamping = \"0.7 N*s/m\"\n";
        check_same(run_of(with_bob(built_in + values + method), form),
                   run_of(plugin("spring.so", "[force.parameters]\n" + values + method), form), 1e-11);
      }
}

TEST_CASE("the states of a plugin are integrated like states of the scene, and act on the motion") {
  const std::string formulas =
      "[[state]]\nname = \"z\"\nrate = \"body.bob.position.x\"\nstart = 0.1\n"
      "[[force]]\nname = \"p\"\nkind = \"body-force\"\nbody = \"bob\"\nforce = [\"-30*state.z\", 0, 0]\n";
  for (const std::string& method : {explicit_method, implicit})
    for (const char* formulation : {"tree", "absolute"}) {
      const scene::Overrides form{{"integrator.formulation", formulation}};
      const Trajectory a = run_of(with_bob(formulas + method), form),
                       b = run_of(plugin("integral.so", "parameters = {gain = 30}\n" + method), form);
      check_same(a, b, 1e-8);
      for (std::size_t i = 0; i < a.samples.size(); ++i)
        CHECK(std::abs(a.samples[i].states.at(0) - b.samples[i].states.at(0)) < 1e-8);
    }
}

TEST_CASE("a lag behind a uniform motion agrees with the closed form, and each plugin has its own states") {
  const std::string own =
      "[[state]]\nname = \"own\"\nrate = 2\n[[sampled]]\nname = \"s\"\nvalue = \"t\"\nperiod = 1\n";
  const std::string second =
      "[[force]]\nname = \"q\"\nkind = \"plugin\"\nlibrary = \"./lag.so\"\nbodies = [\"bob\"]\n"
      "parameters = {time = \"500 ms\"}\n";
  const std::string text = plugin("lag.so", second + own + explicit_method);
  {
    const PluginsAllowed allowed;
    const auto& states = scene_of(text).mechanism.states;
    REQUIRE(states.size() == 4);
    CHECK(states[0].name == "own");
    CHECK(states[2].name == "p.z");
    CHECK(states[2].unit == "m s");
    CHECK(states[3].name == "q.z");
  }
  for (const Sample& sample : run_of(text).samples) {
    const auto exact = [&](double T) {  // of z' = (x - z) / T, x = 0.6 + 0.3 t, z = 0.1 at t = 0
      return 0.6 + 0.3 * (sample.t - T) + (0.1 - 0.6 + 0.3 * T) * std::exp(-sample.t / T);
    };
    CHECK(std::abs(sample.states.at(0) - 2 * sample.t) < 1e-9);
    CHECK(std::abs(sample.states.at(2) - exact(0.25)) < 1e-9);
    CHECK(std::abs(sample.states.at(3) - exact(0.5)) < 1e-9);
  }
}

TEST_CASE(
    "a plugin that defines a rod gives the motion of the built-in distance, also with a driven length") {
  const std::string gravity = "gravity = [0, 0, -9.81]\n";
  const std::string L = "1.00498756211208902702";  // at the start, in m
  for (const std::string& length : {L, "\"" + L + " + 0.1*sin(t)^2\""})
    for (const char* formulation : {"tree", "absolute"}) {
      const scene::Overrides start{{"integrator.formulation", formulation},
                                   {"integrator.consistent", "\"project\""},
                                   {"particle.bob.velocity_world", "[0.4, -0.3, 0]"}};
      const std::string distance =
          "[[constraint]]\nname = \"p\"\nkind = \"distance\"\nfrom = {body = \"bob\"}\nto = {body = "
          "\"ground\"}\n";
      const Trajectory a =
          run_of(gravity + with_bob(distance + "length = " + length + "\n" + explicit_method), start);
      const Trajectory b =
          run_of(gravity + plugin("rod.so", "parameters = {length = " + length + "}\n" + explicit_method,
                                  "constraint"),
                 start);
      check_same(a, b, 1e-8);
    }
}

TEST_CASE("plugins run only where they are allowed") {
  const std::string text = plugin("spring.so", "parameters = {stiffness = 1}\n");
  const auto refusal = [&](const std::string& setting) {
    ::setenv("TORSOR_PLUGINS", setting.c_str(), 1);
    std::string what = "accepted";
    try {
      scene::parse_scene(text, plugin_folder + "/scene");
    } catch (const scene::SceneError& error) {
      what = std::string(error.what()).substr(plugin_folder.size() + 1);
    }
    ::unsetenv("TORSOR_PLUGINS");
    return what;
  };
  const char* const refused =
      "scene:12:11: error: force \"p\" runs code of its own; allow it by --plugins or TORSOR_PLUGINS=1";
  CHECK(refusal("0") == refused);
  CHECK(refusal("") == refused);
  CHECK(refusal("1") == "accepted");
  const PluginsAllowed allowed;
  scene::SceneSource source(text, plugin_folder + "/scene");
  CHECK_NOTHROW(source.scene());
  source.refuse_plugins("not here");
  const std::string why = plugin_folder + "/scene:12:11: error: force \"p\" runs code of its own; not here";
  CHECK_THROWS_WITH_AS(source.scene(), why.c_str(), scene::SceneError);
  CHECK_THROWS_WITH_AS(source.checked_scene(), why.c_str(), scene::SceneError);
}

TEST_CASE("a library that is cut short is refused, whatever its length") {
  const std::filesystem::path cut = plugin_folder + "/cut.so";
  std::filesystem::copy_file(plugin_folder + "/spring.so", cut,
                             std::filesystem::copy_options::overwrite_existing);
  for (const std::uintmax_t bytes : {1000, 700, 300, 100, 64}) {
    CAPTURE(bytes);
    std::filesystem::resize_file(cut, bytes);
    CHECK(
        messages(plugin("cut.so")) ==
        "scene:12:11: error: \"library\" of force \"p\": \"cut.so\" cannot be loaded: the file is cut short");
  }
}

TEST_CASE("a library that is not a sound plugin is refused, with the reason") {
  const std::string at = "scene:12:11: error: \"library\" of force \"p\": ";
  const auto refusal = [](const std::string& library) { return messages(plugin(library)); };
  const std::string outside = " is outside the folder of the scene; give a file in this folder or below it";
  CHECK(refusal("none.so") == at + "\"none.so\": no such file");
  CHECK(refusal("../scene/none.so") == at + "\"../scene/none.so\"" + outside);
  CHECK(refusal("/lib/libc.so.6") == at + "\"/lib/libc.so.6\"" + outside);
  CHECK(refusal(".") == at + "\".\" is not a regular file");
  std::ofstream(plugin_folder + "/text.so") << "no library";
  CHECK(refusal("text.so") == at + "\"text.so\" cannot be loaded: file too short");
  std::filesystem::remove(plugin_folder + "/link.so");
  std::filesystem::create_symlink(TORSOR_TESTS "/scene/plugin_test.cpp", plugin_folder + "/link.so");
  CHECK(refusal("link.so") == at + "\"link.so\"" + outside);
  CHECK(refusal("no_symbol.so") ==
        at + "\"no_symbol.so\" is not a plugin: it does not define torsor_plugin_descriptor");
  CHECK(refusal("other_version.so") ==
        at + "\"other_version.so\" has version 7 of the interface of plugins; this program has version 1");
  CHECK(refusal("rod.so") == at + "\"rod.so\" defines a constraint; write [[constraint]]");
  CHECK(
      messages(plugin("spring.so", {}, "constraint")) ==
      "scene:12:11: error: \"library\" of constraint \"p\": \"spring.so\" defines a force; write [[force]]");
  const auto fault = [&](const std::string& library, const std::string& why) {
    CHECK(refusal(library) == at + "\"" + library + "\" is not a valid plugin: " + why);
  };
  fault("other_kind.so", "its kind is 5, which is neither a force nor a constraint");
  fault("null_force.so", "its function \"force\" is null");
  fault("null_constraint.so", "its function \"constraint\" is null");
  fault("null_parameters.so", "it has 3 parameters, and the pointer to them is null");
  fault("negative_count.so", "it has -1 parameters");
  fault("equal_parameters.so", "two parameters are called \"gain\"");
  fault("no_name.so",
        "parameter 0 has no valid name: at most 64 letters, digits and _, beginning with a letter");
  fault("state_not_finite.so", "the value of state \"z\" is not finite");
  fault("states_of_rod.so", "it is a constraint with states");
  fault("no_rows.so", "it is a constraint with 0 rows");
  fault("destroys_only.so", "it has the function \"destroy\", and its function \"create\" is null");
}

TEST_CASE("wrong bodies and parameters of a plugin are refused at their place") {
  const auto with = [](const std::string& bodies, const std::string& lines) {
    std::string text = plugin("spring.so", lines);
    return messages(text.replace(text.find("[\"bob\"]"), 7, bodies));
  };
  const std::string k = "parameters = {stiffness = 1}\n";
  const std::string bodies = "error: \"bodies\" of force \"p\": ",
                    values = "error: \"parameters\" of force \"p\"";
  CHECK(with("[\"bob\"]", k) == "accepted");
  CHECK(with("[\"bob\", \"bob\"]", k) == "scene:13:10: " + bodies + "\"spring.so\" acts on 1 body, got 2\n" +
                                             "scene:13:18: " + bodies + "\"bob\" is named twice");
  CHECK(with("[\"ground\"]", k) ==
        "scene:13:11: " + bodies + "it acts on bodies, and \"ground\" is not a body");
  CHECK(with("[\"bop\"]", k) == "scene:13:11: " + bodies + "unknown body \"bop\"; did you mean \"bob\"?");
  CHECK(with("[]", k) == "scene:13:10: error: \"bodies\" of force \"p\" must have at least 1 element, got 0");
  CHECK(with("[\"bob\"]", {}) == "scene:9:1: " + values + " needs \"stiffness\"");
  CHECK(with("[\"bob\"]", "parameters = {damping = 1}\n") ==
        "scene:14:14: " + values + " needs \"stiffness\"");
  CHECK(with("[\"bob\"]", "parameters = {stiffness = 1, dampping = 2}\n") ==
        "scene:14:30: " + values +
            ": \"spring.so\" has no parameter \"dampping\"; did you mean \"damping\"?");
  CHECK(with("[\"bob\"]", "parameters = {stiffness = 1, x = 2}\n") ==
        "scene:14:30: " + values +
            ": \"spring.so\" has no parameter \"x\"; it has stiffness, damping, rest_length");
  const std::string stiffness = "error: \"stiffness\" of \"parameters\" of force \"p\"";
  CHECK(with("[\"bob\"]", "parameters = {stiffness = \"1 kg\"}\n") ==
        "scene:14:27: " + stiffness + " takes N/m, N/mm, kN/m, not \"kg\"");
  CHECK(with("[\"bob\"]", "parameters = {stiffness = \"body.bob.position.x\"}\n") ==
        "scene:14:27: " + stiffness + ": a parameter of a plugin is a constant or a smooth function of t");
  CHECK(with("[\"bob\"]", "parameters = {stiffness = \"max(80, t)\"}\n") ==
        "scene:14:27: " + stiffness +
            ": \"max(80, t)\" uses max, which is not smooth; the steps of a run do not end at the kinks of "
            "this "
            "quantity");
  CHECK(with("[\"bob\"]", "parameters = {stiffness = \"80 + atan2(sin(t), 2)\"}\n") == "accepted");
  CHECK(with("[\"bob\"]", "parameters = {stiffness = true}\n").starts_with("scene:14:27: " + stiffness));
  CHECK(messages(plugin("refuses.so", "parameters = {stiffness = 80}\n")) ==
        "scene:14:14: error: force \"p\": \"refuses.so\" refuses this table: a stiffness of 80 N/m is too "
        "great");
  CHECK(messages(plugin("spring.so", k), {{"force.p.parameters.stiffness", "[1]"}})
            .starts_with("--set force.p.parameters.stiffness=[1]: error: "));
  CHECK(messages(plugin("spring.so", k), {{"force.p.parameters.stiffness", "2"}}) == "accepted");
}

TEST_CASE("a plugin that fails ends the run as callback-failed, with its message and the time") {
  const auto failure = [](const std::string& library, const std::string& table = "force",
                          const std::string& lines = {}) {
    const PluginsAllowed allowed;
    const scene::Scene scene = scene_of(plugin(library, lines + explicit_method, table));
    const Trajectory trajectory = scene::run(scene, scene::prepare(scene), scene.run);
    CHECK(trajectory.summary.status == StepStatus::callback_failed);
    return trajectory.summary.message;
  };
  const auto says = [](const std::string& message, const std::string& text) {
    CAPTURE(message);
    CHECK(message.find("force \"p\": " + text) != message.npos);
  };
  says(failure("fails.so"), "no data after 0.5 s at t = 0.");
  says(failure("fails_silently.so"), "the plugin returned the error code 7 at t = 0");
  says(failure("overruns.so"), std::string(255, 'x') + " at t = 0");
  says(failure("not_finite.so"), "the plugin returned a wrench that is not finite at t = 0");
  says(failure("rate_not_finite.so"), "the plugin returned a rate of a state that is not finite at t = ");
  says(failure("energy_not_finite.so", "force", "parameters = {stiffness = 1}\n"),
       "the potential energy is not finite");
  says(failure("throws.so"), "thrown at t = 0");
  says(failure("throws_number.so"), "the plugin threw an object that is not an exception at t = 0");
  says(failure("twists.so"), "a torque acts on the particle \"bob\"");
  CHECK(messages(plugin("row_not_finite.so", "parameters = {length = 1}\n", "constraint"))
            .find("constraint \"p\": the function returned a number that is not finite at t = 0") !=
        std::string::npos);
}

TEST_CASE("an energy that does not fit the force of a plugin shows in the balance of energy, with a note") {
  const std::string lines = "parameters = {stiffness = 40, damping = 1}\n" + explicit_method;
  const Trajectory sound = run_of(plugin("spring.so", lines)),
                   wrong = run_of(plugin("wrong_energy.so", lines));
  CHECK(sound.energy_max_drift < 1e-8);
  CHECK(sound.summary.note == "");
  CHECK(wrong.energy_max_drift > 0.1);
  CHECK(wrong.summary.note.find("energy minus work has drifted by") == 0);
}

}  // namespace torsor
