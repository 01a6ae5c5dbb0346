#include <doctest/doctest.h>

#include "support.hpp"

namespace torsor {
namespace {

/// What the library says about a file, without the folder, and whether it is a limit that was exceeded.
struct Verdict {
  std::string text;
  bool limit = false;
};

Verdict verdict(const std::filesystem::path& path) {
  try {
    make_model(load_scene(path.string()));
    return {"no complaint\n", false};
  } catch (const SceneError& error) {
    Verdict found{{}, error.limit_exceeded};
    for (Diagnostic diagnostic : error.diagnostics) {
      diagnostic.file = std::filesystem::path(diagnostic.file).filename().string();
      found.text += diagnostic.text() + "\n";
    }
    return found;
  }
}

}  // namespace

// Each x.toml is refused with exactly the messages of x.txt. Files named limit_* exceed a size limit.
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

TEST_CASE("a file has at most 50 messages, in the order of the file") {
  std::string text = test::with_top();
  for (int i = 0; i < 80; ++i) text += "wrong" + std::to_string(i) + " = 1\n";
  try {
    parse_scene(text, "scene");
    FAIL("accepted");
  } catch (const SceneError& error) {
    CHECK(error.diagnostics.size() == 50);
    for (std::size_t i = 1; i < error.diagnostics.size(); ++i)
      CHECK(error.diagnostics[i - 1].line < error.diagnostics[i].line);
  }
}

}  // namespace torsor
