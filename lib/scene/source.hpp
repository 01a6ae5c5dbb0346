#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "diagnostics.hpp"

namespace torsor::scene {

/// Limits of a scene file, so that reading a small file cannot take much time or memory.
struct Limits {
  static constexpr std::size_t file_bytes = 64u << 20;
  static constexpr std::size_t line_bytes = 1u << 20;
  static constexpr std::size_t objects = 1'000'000;  ///< tables, after repetition
  static constexpr std::size_t values = 4'000'000;
  static constexpr std::size_t expanded_values = 20'000'000;
  static constexpr int nesting = 64;
  static constexpr int key_parts = 16;
};

/// The text of a regular file; throws SceneError for anything else. `noun`: the kind of file, for messages.
std::string read_text(const std::string& path, std::string_view noun = "scene");

/// Checks the text in one linear pass, before the parser reads it. Throws a SceneError with the position of
/// the first byte that is not text (NUL, invalid UTF-8) or that exceeds a limit.
void scan(std::string_view text, const Diagnostics& diagnostics);

}  // namespace torsor::scene
