#include <doctest/doctest.h>

#include <random>

#include "support.hpp"

namespace torsor {
namespace {

/// Changes a text at random positions, as a typing error or a damaged disk would.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text, const std::string& other) {
    for (int n = 1 + below(3); n > 0 && !text.empty(); --n) change(text, other);
    return text;
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_() % n); }

  void change(std::string& text, const std::string& other) {
    static const std::string alphabet = "[]{}().,=\"'#+-*/^ \n\t0129eintfa_\\\x01\x7f\xc3\xa9\xff";
    const auto at = static_cast<std::size_t>(below(text.size()));
    switch (below(6)) {
      case 0:
        text.erase(at, 1 + below(20));
        break;
      case 1:
        text.insert(at, 1, alphabet[below(alphabet.size())]);
        break;
      case 2:
        text[at] = alphabet[below(alphabet.size())];
        break;
      case 3:
        text.resize(at);
        break;
      case 4:
        insert_part(text, at, other);
        break;
      default:
        insert_part(text, at, text);
        break;
    }
  }

  /// Inserts a part of `from`. Two statements draw the numbers, so their order is the same on every platform.
  void insert_part(std::string& text, std::size_t at, const std::string& from) {
    const auto begin = static_cast<std::size_t>(below(from.size()));
    const auto length = static_cast<std::size_t>(1 + below(60));
    text.insert(at, from, begin, length);
  }

  /// The same numbers on every platform, unlike the distributions of the standard library.
  std::mt19937 random_;
};

/// The resolved text of the scene that the resolved text of a scene gives, or the message if it gives none.
std::string resolved_again(const scene::Scene& scene) {
  try {
    return scene::parse_scene(scene.resolved, "scene").resolved;
  } catch (const scene::SceneError& error) {
    return error.what();
  }
}

}  // namespace

// Any text must give either a scene or a SceneError, and the resolved text of a scene must give the same
// scene.
TEST_CASE("damaged scenes are either refused or read") {
  std::vector<std::string> shipped, invalid;
  for (const auto& path : test::files(TORSOR_SCENES, ".toml")) shipped.push_back(test::contents(path));
  for (const auto& path : test::files(TORSOR_TESTS "/invalid_scenes", ".toml"))
    if (path.stem() != "text_empty") invalid.push_back(test::contents(path));
  Mutator mutate(20240607);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::string& good = shipped[i / 2 % shipped.size()];  // each file is changed in its turn
    const std::string& bad = invalid[i / 2 % invalid.size()];
    const std::string text = i % 2 == 0 ? mutate(good, bad) : mutate(bad, good);
    CAPTURE(text);
    try {
      const scene::Scene scene = scene::parse_scene(text, "scene");
      CHECK(resolved_again(scene) == scene.resolved);
      prepare(scene);
      ++accepted;
    } catch (const scene::SceneError& error) {
      CHECK(!error.diagnostics.empty());
      ++refused;
    }
  }
  CHECK(accepted > 300);
  CHECK(refused > 1000);
}

// The texts that tests/fuzz found, here without the sanitizers of tests/fuzz.
TEST_CASE("texts that once caused a failure of the reader are refused") {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(TORSOR_TESTS "/fuzz/found/scene")) {
    CAPTURE(file.path().filename().string());
    CHECK(!test::complaints(test::contents(file.path())).empty());
    ++count;
  }
  CHECK(count >= 2);
}

}  // namespace torsor
