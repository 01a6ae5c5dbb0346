#pragma once

#include <string>
#include <vector>

#include "torsor/io/stored_result.hpp"

namespace torsor {

struct ReplayOptions {
  std::vector<std::string> columns;  ///< to plot besides drift and residuals; "*" as in `curves`
};

/// Text at the beginning of every such page.
constexpr const char* replay_mark = "<!-- Made by torsor view.";

/// A page, with the numbers of samples of the result and of frames on the page.
struct Replay {
  std::string html;
  std::size_t samples = 0, frames = 0;
};

/// The motion of a result as one HTML page that needs no network and no other file: the bodies in space
/// with joints, traces and screw axes, and plots below them (docs/viewing.md). Names and titles are data on
/// the page, never markup. A long run is thinned out to at most 3601 frames and about 12 MB, and the page
/// says so; of drift and residuals, the greatest value between two frames is kept. A scene in coordinates
/// has plots only. Throws ResultError for columns that the result does not have.
Replay replay_page(const StoredResult& result, const ReplayOptions& options = {});

}  // namespace torsor
