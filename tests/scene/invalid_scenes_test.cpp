#include <doctest/doctest.h>

#include "support.hpp"

namespace torsor {
namespace {

/// The message of the library for a file, without the folder, and whether a limit was exceeded.
struct Verdict {
  std::string text;
  bool limit = false;
};

Verdict verdict(const std::filesystem::path& path) {
  try {
    scene::prepare(scene::load_scene(path.string()));
    return {"no complaint\n", false};
  } catch (const scene::SceneError& error) {
    Verdict found{{}, error.limit_exceeded};
    for (scene::Diagnostic diagnostic : error.diagnostics) {
      diagnostic.file = std::filesystem::path(diagnostic.file).filename().string();
      found.text += diagnostic.text() + "\n";
    }
    return found;
  }
}

}  // namespace

// Each x.toml must be refused with exactly the messages of x.txt. Files named limit_* exceed a size limit.
TEST_CASE("every invalid scene is refused with its messages") {
  const auto scenes = test::files(TORSOR_TESTS "/invalid_scenes", ".toml");
  CHECK(scenes.size() > 100);
  for (const auto& path : scenes) {
    CAPTURE(path.filename().string());
    std::filesystem::path expected = path;
    expected.replace_extension(".txt");
    REQUIRE(std::filesystem::exists(expected));
    const Verdict found = verdict(path);
    CHECK(found.text == test::contents(expected));
    CHECK(found.limit == path.filename().string().starts_with("limit_"));
  }
}

TEST_CASE("a file gives at most 50 messages in the order of the file, and the number of further errors") {
  const auto errors_of = [](int count) {
    std::string text = test::with_top();
    for (int i = 0; i < count; ++i) text += "wrong" + std::to_string(i) + " = 1\n";
    try {
      scene::parse_scene(text, "scene");
    } catch (const scene::SceneError& error) {
      return error.diagnostics;
    }
    return std::vector<scene::Diagnostic>();
  };
  CHECK(errors_of(50).size() == 50);
  CHECK(errors_of(51).back().text() == "scene: error: 1 more error is not shown");
  const auto many = errors_of(80);
  REQUIRE(many.size() == 51);
  for (std::size_t i = 1; i < 50; ++i) CHECK(many[i - 1].line < many[i].line);
  CHECK(many.back().text() == "scene: error: 30 more errors are not shown");
}

TEST_CASE("terminal control characters are escaped in titles, units of states and messages") {
  const std::string raw = "\\u001b[31m\\u202E";
  CHECK(scene::parse_scene("title = \"" + raw + "\"\n" + test::with_top(), "a\033b.toml").title ==
        "\\u001B[31m\\u202E");
  CHECK(scene::parse_scene(test::with_top(), "a\033b.toml").name == "a\\u001Bb");
  const std::string unit = "unit = \"" + raw + "\"\n", state = "[[state]]\nname = \"z\"\nrate = 1\n" + unit,
                    sampled = "[[sampled]]\nname = \"s\"\nvalue = 1\nperiod = 1\n" + unit;
  const auto states = scene::parse_scene(test::with_top(state + sampled), "a.toml").mechanism.states;
  CHECK(states.size() == 2);
  for (const auto& one : states) CHECK(one.unit == "\\u001B[31m\\u202E");
  try {
    scene::parse_scene(test::with_top("\"" + raw + "\" = 1\n"), "a\033b.toml");
    FAIL("accepted");
  } catch (const scene::SceneError& error) {
    const std::string shown =
        "a\\u001Bb.toml:7:1: error: unknown key \"\\u001B[31m\\u202E\" in body \"top\";";
    CHECK(std::string(error.what()).starts_with(shown));
    CHECK(error.diagnostics.front().text().starts_with(shown));
  }
}

// If the cost of each error grew with the number of errors, these texts would take an hour; the time limit
// of the test would end them.
TEST_CASE("the cost of errors is at most linear in their number") {
  const std::string run = "[run]\nend = 1\n", body = "name = \"b{i}\"\nmass = 1\ninertia = ";
  const std::string bodies = run + "[[body]]\nrepeat = 900000\n" + body;
  const auto last = [](const std::string& text) {
    const std::string all = test::complaints(text);
    return all.substr(all.rfind('\n') + 1);
  };
  const auto repeated = [](int count, const auto& table) {
    std::string text;
    for (int i = 0; i < count; ++i) text += table(std::to_string(i));
    return text;
  };
  CHECK(last(bodies + "1\n") ==
        "scene:7:11: error: \"inertia\" of body \"b{i}\" must be an array, got an integer");
  CHECK(last(bodies + "[1, 1, 5]\n") ==
        "scene:7:11: error: body \"b0\": inertia violates the triangle inequality: 1 + 1 < 5");
  const std::string all = run + "[[body]]\nrepeat = 200000\n" + body + "[1, 1, 1]\n";
  CHECK(last(all + repeated(200'000, [](const std::string& i) {
               return "[[point]]\nname = \"p" + i + "\"\nbody = \"c" + i + "\"\n";
             })) == "scene: error: 199950 more errors are not shown");
  CHECK(last(run + repeated(200'000, [](const std::string& i) {
               return "[[body]]\nname = \"b" + i + "\"\nmass = 1\ninertia = [1, 1, 5]\n";
             })) == "scene: error: 199950 more errors are not shown");
  CHECK(last(run +
             "[[particle]]\nrepeat = 10000\nname = \"p{i}\"\nmass = 1\n[[rigid_particles]]\nname = "
             "\"r\"\nnodes = [" +
             repeated(200'000, [](const std::string& i) { return "\"q" + i + "\",\n"; }) + "]\n") ==
        "scene:9:9: error: \"nodes\" of rigid_particles \"r\": no particle \"q0\"; did you mean \"p0\"?");
}

}  // namespace torsor
