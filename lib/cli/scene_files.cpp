#include "scene_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "torsor/scene/diagnostic.hpp"

namespace torsor::cli {
namespace fs = std::filesystem;
namespace {

/// Where scenes are looked up by name. The installed ones lie at a fixed place relative to the command, so
/// that an install tree can be moved; the build tree is laid out alike.
std::vector<fs::path> scene_folders() {
  std::vector<fs::path> folders;
  if (const char* own = std::getenv("TORSOR_SCENES"); own != nullptr && *own != '\0')
    folders.emplace_back(own);
  std::error_code failure;
  const fs::path command = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) folders.push_back((command.parent_path() / TORSOR_SCENES_FROM_COMMAND).lexically_normal());
  return folders;
}

std::vector<std::string> scene_names(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, failure)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Number of single-character edits between two words (Levenshtein).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({substituted, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view written, const std::vector<std::string>& known) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, written.size() / 3) + 1;
  for (const std::string& name : known) {
    // A beginning counts as near: "heavy_top" means "heavy_top_bruls" rather than nothing.
    const std::size_t distance = written.size() > 2 && name.starts_with(written) ? 1 : edits(written, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best;
}

std::string find_scene(const std::string& argument) {
  std::error_code failure;
  if (fs::exists(argument, failure)) return argument;
  const bool is_name = argument.find('/') == std::string::npos && !argument.ends_with(".toml");
  const auto folders = scene_folders();
  for (const auto& folder : folders) {
    const auto path = folder / (argument + ".toml");
    if (is_name && fs::is_regular_file(path, failure)) return path.string();
  }
  if (!is_name) throw SceneError({{argument, 0, 0, "no such file"}});
  const auto names = scene_names(folders);
  const auto guess = nearest(argument, names);
  std::string message = "no such file or scene";
  if (!guess.empty()) {
    message += fmt::format("; did you mean \"{}\"?", guess);
  } else if (!names.empty()) {
    message += fmt::format("; there are {}", fmt::join(names, ", "));
  }
  throw SceneError({{argument, 0, 0, message}});
}

}  // namespace torsor::cli
