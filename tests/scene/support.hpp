#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "torsor/scene/scene.hpp"

namespace torsor::test {

/// The files of a folder with one extension, sorted by name.
inline std::vector<std::filesystem::path> files(const std::filesystem::path& folder,
                                                const std::string& ending) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ending) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline scene::Scene parsed(const std::string& text, const scene::Overrides& overrides = {}) {
  return scene::parse_scene(text, "scene", overrides);
}

/// All messages for a text, one on each line; empty for a valid scene that gives a model.
inline std::string complaints(const std::string& text, const scene::Overrides& overrides = {}) {
  try {
    scene::make_model(scene::parse_scene(text, "scene", overrides));
    return {};
  } catch (const scene::SceneError& error) {
    return error.what();
  }
}

/// A run and one body named top with the given further lines; other tables may follow.
inline std::string with_top(const std::string& lines = {}) {
  return "[run]\nend = 1\n[[body]]\nname = \"top\"\nmass = 2\ninertia = [1, 2, 2.5]\n" + lines;
}

}  // namespace torsor::test
