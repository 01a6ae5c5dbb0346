#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "torsor/scene/scene.hpp"

namespace torsor::fuzz {

/// Whether a `repeat` in the text has at least three digits. Such inputs find nothing new and take as much
/// time as thousands of other inputs.
constexpr bool repeats_often(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdefABCDEFxo_";
  for (std::size_t at = text.find("repeat"); at != text.npos; at = text.find("repeat", at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    const std::size_t begin = line.find_first_of("0123456789");
    if (begin != line.npos && std::min(line.find_first_not_of(digits, begin), line.size()) - begin > 2)
      return true;
  }
  return false;
}
static_assert(!repeats_often("repeat = 3\nmass = 100") && repeats_often("repeat = 300\n"));

/// Goes from a scene to its first sample, as `torsor check` does: the model with a consistent start, and a
/// run of zero length. A scene without a model throws SceneError. A method may refuse the scene.
inline void build(const scene::Scene& scene) {
  const scene::ReadyScene ready = prepare(scene);
  try {
    if (run_at_start(scene, ready).samples.empty()) std::abort();
  } catch (const std::invalid_argument&) {
  }
}

/// Every SceneError must have diagnostics, each with a message and without terminal control characters.
inline void check(const scene::SceneError& error) {
  if (error.diagnostics.empty()) std::abort();
  for (const scene::Diagnostic& one : error.diagnostics)
    if (one.message.empty() || one.text().find('\033') != std::string::npos) std::abort();
}

}  // namespace torsor::fuzz
