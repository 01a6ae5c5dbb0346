#include "source.hpp"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <optional>

#include "support.hpp"
#include "support/sanitized.hpp"
#include "toml.hpp"

namespace torsor {
namespace {

using test::with_top;

/// The message of load_scene for a path, without the path.
std::string refusal(const std::string& path) {
  try {
    scene::load_scene(path);
    return "accepted";
  } catch (const scene::SceneError& error) {
    return error.diagnostics.front().message;
  }
}

bool exceeds_limit(const std::string& text) {
  try {
    scene::parse_scene(text, "scene");
    return false;
  } catch (const scene::SceneError& error) {
    return error.limit_exceeded;
  }
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// Runs a function on a stack of 256 KiB, as under `ulimit -s 256`.
[[maybe_unused]] void on_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, 256 << 10) == 0);
  pthread_t thread;
  const auto call = [](void* f) -> void* {
    (*static_cast<std::function<void()>*>(f))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, call, &work) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE("a key that is defined twice is named as it is written") {
  for (const auto& [text, name] : std::vector<std::pair<std::string, std::string>>{
           {"\"x, z\" = 1\n  \"x, z\" = 2", "x, z"},
           {"abc = 1\n'abc' = 2", "abc"},
           {"\"a=\\\"b\" = 1\n\"a=\\\"b\"= 2", "\"a=\\\"b\""},
           {"a.\"b c\" = 1\na.\"b c\" = 2", "a.\"b c\""},
           {"a = {b = 1, \"é, d\" = [2, 3], \"é, d\" = 4}", "é, d"},
           {"a = [{b = 1}, {b = 1,b=2}]", "b"},
           {"a = [\n  [1, 2], {b = 1, b = 2}]", "b"},
           {"a.b = 1\na.b.c = 2", "a.b.c"},
           {"a.b = 1\n[a.b.c]", "a.b.c"},
           {"[\"a b\"]\n [ \"a b\" ] # [c]", "a b"},
           {"[a]\n[[a]]", "a"}}) {
    CAPTURE(text);
    CHECK(test::complaints(text).find(" \"" + name + "\" is defined twice") != std::string::npos);
  }
}

TEST_CASE("only regular files are accepted as scenes") {
  const auto folder = std::filesystem::temp_directory_path() / ("torsor_scene_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string fifo = (folder / "fifo.toml").string();
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(refusal(fifo) == "is not a regular file");
  CHECK(refusal(folder.string()) == "is a directory, not a scene");
  CHECK(refusal("/dev/zero") == "is not a regular file");
  CHECK(refusal((folder / "none.toml").string()) == "cannot be read: No such file or directory");
  CHECK(refusal(std::string("a\0b", 3)) == "the file name has a NUL byte");
  std::filesystem::remove_all(folder);
}

TEST_CASE("sizes are limited before parsing, and numbers of copies before `repeat` makes them") {
  CHECK(exceeds_limit(std::string((64u << 20) + 1, '[')));
  CHECK(exceeds_limit(std::string(1 << 20, '[')));
  CHECK(exceeds_limit(std::string("a = \"").append(2 << 20, 'a') + "\"\n"));
  CHECK(exceeds_limit(repeated("[[body]]\n", 1'000'001)));
  CHECK(exceeds_limit(with_top("position = [").append(repeated("1,\n", 4'000'001)) + "]"));
  CHECK(exceeds_limit(with_top("[").append(repeated("a.", 100'000)) + "a]\n"));
  CHECK(exceeds_limit(repeated("a.", 100'000) + "a = 1\n"));
  CHECK(exceeds_limit(with_top() + "[[point]]\nrepeat = 400000\nname = \"p{i}\"\nbody = \"top\"\n" +
                      "[[joint]]\nrepeat = 700000\nname = \"j{i}\"\nkind = \"fixed\"\nchild = \"top\"\n"));
}

TEST_CASE("brackets, dots and quotes inside strings and comments do not count towards limits") {
  const std::string noise = repeated("[{.", 100);
  CHECK(test::complaints(std::string("# ").append(noise).append("\ntitle = '").append(noise) + "\"' # \"\n" +
                         with_top()) == "");
  CHECK(test::complaints(std::string("title = \"\"\"\n").append(noise) + " \\\" \"\" \n\"\"\"\n" +
                         with_top()) == "");
  CHECK(test::complaints(std::string("title = \"\\\\\" # ").append(noise) + "\n" + with_top()) == "");
  CHECK(exceeds_limit(std::string("title = \"\\\\\"\na = ").append(repeated("[", 65))));
}

namespace {

const std::string deep_key = repeated("a.", 16) + "a";  // one part more than a key may have
const scene::Overrides none;

/// The number of levels of nested tables.
int depth(const scene::Node& node) {
  int most = 0;
  if (const auto* table = node.as<scene::Node::Table>())
    for (const scene::Entry& entry : *table) most = std::max(most, 1 + depth(entry.value));
  if (const auto* array = node.as<scene::Node::Array>())
    for (const scene::Node& element : *array) most = std::max(most, depth(element));
  return most;
}
/// The number of levels in a text; nothing if it is not valid TOML.
std::optional<int> depth(const std::string& text) {
  try {
    return depth(scene::parse_toml(text, scene::Diagnostics("", none)));
  } catch (const scene::SceneError&) {
    return std::nullopt;
  }
}
bool scan_refuses(const std::string& text) {
  try {
    scene::scan(text, scene::Diagnostics("", none));
    return false;
  } catch (const scene::SceneError&) {
    return true;
  }
}

/// Calls `use` with every text of `begin` and up to `length` more symbols.
void for_each_text(const std::vector<std::string>& symbols, int length, const std::string& begin,
                   const std::function<void(const std::string&)>& use) {
  use(begin);
  if (length == 0) return;
  for (const std::string& symbol : symbols) for_each_text(symbols, length - 1, begin + symbol, use);
}

}  // namespace

TEST_CASE(
    "the scan counts the parts of a key exactly where the parser reads a key, whatever strings precede it") {
  const std::vector<std::string> ends{"", "]", "\n" + deep_key + " = 1", ", {" + deep_key + " = 1}]"};
  long refused = 0, passed = 0;
  for (const std::string begin : {"", "a = [", "a = [\"\"\"", "a = ['''", "# "}) {
    for_each_text({"\"", "'", "\\", "\n", " = ", deep_key}, 5, begin, [&](const auto& text) {
      for (const std::string& end : ends) {
        const std::string whole = text + end + "\n";
        const auto levels = depth(whole);
        if (!levels) continue;
        ++(*levels > 16 ? refused : passed);
        CHECK_MESSAGE(scan_refuses(whole) == (*levels > 16), whole);
      }
    });
  }
  CHECK(refused > 1000);
  CHECK(passed > 1000);
}

TEST_CASE("the scan finds a deep key after a string that ends in four or five quotes") {
  const std::string bomb = ", {a" + repeated(".a", 25'000) + " = 1}]";
  for (const std::string quote : {"\"", "'"}) {
    for (int n = 3; n <= 5; ++n) {
      const std::string value = "[" + repeated(quote, 3) + "a" + repeated(quote, n) + bomb;
      CHECK(exceeds_limit("x = " + value));
      // As a TOML value, this override would exceed a limit, so it is taken as a text.
      CHECK(test::complaints(with_top(), {{"title", value}}) == "");
    }
  }
}

// Sanitizers enlarge stack frames; with them, this test uses the normal stack.
TEST_CASE("a stack of 256 KiB is enough for every input") {
#ifdef TORSOR_SANITIZED
  const auto run = [](const std::function<void()>& work) { work(); };
#else
  const auto run = on_small_stack;
#endif
  int refused = 0, accepted = 0;
  run([&] {
    const std::string deep = repeated("(", 62) + "t" + repeated(")", 62);
    const std::vector<std::string> texts{
        with_top("[[force]]\nname = \"f\"\nkind = \"body-force\"\nbody = \"top\"\nforce = [\"" + deep +
                 "\", 0, 0]\n"),
        with_top("[[force]]\nname = \"f\"\nkind = \"body-force\"\nbody = \"top\"\nforce = [\"" +
                 repeated("sin(", 60) + "t" + repeated(")", 60) + "\", 0, 0]\n"),
        with_top("[[force]]\nname = \"f\"\nkind = \"body-force\"\nbody = \"top\"\nforce = [\"" +
                 repeated("t^", 60) + "t\", 0, 0]\n"),
        with_top("position = " + repeated("[", 63) + repeated("]", 63) + "\n"),
        with_top("position = " + repeated("{a = ", 63) + "1" + repeated("}", 63) + "\n"),
        with_top("position = [\"" + repeated("(", 1000) + "\", 0, 0]\n"),
        repeated("[", 1'000'000),
        repeated("[a.", 1'000'000)};
    for (const std::string& text : texts) {
      try {
        scene::parse_scene(text, "scene");
        ++accepted;
      } catch (const scene::SceneError&) {
        ++refused;
      }
    }
  });
  CHECK(accepted == 3);
  CHECK(refused == 5);
}

TEST_CASE("a chain of 100 000 bodies is read") {
  const scene::Scene scene = scene::parse_scene(
      "[run]\nend = 1\n[[body]]\nrepeat = 100000\nname = \"rod{i}\"\nmass = 1\ninertia = [1, 1, 1]\n"
      "[[joint]]\nrepeat = 99999\nname = \"joint{i}\"\nkind = \"spherical\"\nparent = \"rod{i}\"\nchild = "
      "\"rod{i+1}\"\n"
      "parent_frame.position = [0.5, 0, 0]\nchild_frame.position = [-0.5, 0, 0]\n",
      "chain");
  CHECK(scene.mechanism.bodies.size() == 100000);
  CHECK(scene.mechanism.joints.back().child == 99999);
}

}  // namespace torsor
