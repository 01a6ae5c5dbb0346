#pragma once

#include <cstdlib>

#include "io/results/read_parts.hpp"
#include "torsor/io/pages.hpp"

namespace torsor::fuzz {

/// The data of a file must be either a result that can be plotted, viewed and reported, or a ResultError.
template <class Receive>
void show(const Receive& receive) {
  try {
    const io::StoredResult result = result_of(receive(), "result.h5");
    if (to_svg(plots_of(result, {"*"})).empty() || replay_page(result).html.empty()) std::abort();
    if (report_page(result).empty()) std::abort();
  } catch (const io::ResultError&) {
  }
}

}  // namespace torsor::fuzz
