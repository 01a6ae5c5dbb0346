#pragma once

#include <string>
#include <vector>

#include "torsor/io/stored_result.hpp"

namespace torsor {

struct ReplayOptions {
  std::vector<std::string> columns;  ///< to draw besides drift and residuals; "*" as in `curves`
};

/// Stands at the beginning of every such page.
constexpr const char* replay_mark = "<!-- Made by torsor view.";

/// A page and what it leaves out of the result.
struct Replay {
  std::string html;
  std::size_t samples = 0, frames = 0;  ///< of the result, on the page
};

/// The motion of a result as one HTML page that needs no network and no other file: the bodies in space with
/// joints, traces and screw axes, and curves below them (docs/viewing.md). Names and titles stand in it as
/// data, never as markup. Long runs are thinned out, to at most 3601 frames and about 12 MB, which the page
/// says; of drift and residuals the greatest between two frames is kept. A scene in coordinates has curves
/// alone. Throws ResultError for columns that are not there.
Replay replay_page(const StoredResult& result, const ReplayOptions& options = {});

}  // namespace torsor
