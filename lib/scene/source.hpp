#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "diagnostics.hpp"

namespace torsor::scene {

/// Bounds on what a scene file may be, so that no input costs more than its size explains.
struct Limits {
  static constexpr std::size_t file_bytes = 64u << 20;
  static constexpr std::size_t line_bytes = 1u << 20;
  static constexpr std::size_t objects = 1'000'000;  ///< tables, after repetition
  static constexpr std::size_t values = 4'000'000;
  static constexpr std::size_t expanded_values = 20'000'000;
  static constexpr int nesting = 64;
  static constexpr int key_parts = 16;
};

/// The text of a regular file; throws SceneError for anything else. `noun`: what it should hold.
std::string read_text(const std::string& path, std::string_view noun = "scene");

/// One linear pass before any parser sees the text: refuses bytes that are not text (NUL, bad UTF-8) with
/// their place, and whatever exceeds the limits.
void scan(std::string_view text, const Diagnostics& diagnostics);

}  // namespace torsor::scene
