#include <doctest/doctest.h>

#include <algorithm>

#include "some_study.hpp"

namespace torsor::test {
namespace {

std::string verdict(const std::filesystem::path& path) {
  try {
    batch::load_study(path.string());
    return "no complaint\n";
  } catch (const scene::SceneError& error) {
    std::string text = error.limit_exceeded ? "limit: " : "";
    for (scene::Diagnostic diagnostic : error.diagnostics) {
      diagnostic.file = std::filesystem::path(diagnostic.file).filename().string();
      text += diagnostic.text() + "\n";
    }
    return text;
  }
}

}  // namespace

// Each x.toml must be refused with exactly the messages of x.txt; _*.toml are scenes that the studies name.
TEST_CASE("every invalid study is refused with its messages") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TORSOR_TESTS "/invalid_studies")) {
    std::filesystem::path path = entry.path();
    if (path.extension() != ".toml" || path.filename().string().starts_with('_')) continue;
    CAPTURE(path.filename().string());
    const std::string found = verdict(path);
    CHECK(found == read_text(path.replace_extension(".txt")));
    ++count;
  }
  CHECK(count > 20);
}

TEST_CASE("a study reads scenes only from its own folder and folders below it") {
  const StudyFolder folder;
  std::filesystem::create_directory(folder.path / "inner");
  const auto study = [&](const std::string& scene) {
    return verdict(folder.write("inner/study.toml", "scene = \"" + scene + "\"\n"));
  };
  CHECK(study("../top.toml") ==
        "study.toml:1:9: error: \"../top.toml\" is outside the folder of the study; give a file in this "
        "folder or below it, or the name of a shipped scene\n");
  CHECK(study("/etc/passwd").find("is outside the folder of the study") != std::string::npos);
  std::filesystem::create_symlink("../top.toml", folder.path / "inner/link.toml");
  CHECK(study("link.toml").find("\"link.toml\" is outside the folder of the study") != std::string::npos);
  CHECK(study("none.toml") == "study.toml:1:9: error: \"none.toml\": no such file\n");
  std::filesystem::copy(folder.path / "top.toml", folder.path / "inner/top.toml");
  CHECK(study("top.toml") == "no complaint\n");
}

}  // namespace torsor::test
