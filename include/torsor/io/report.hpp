#pragma once

#include <string>
#include <vector>

#include "torsor/io/stored_result.hpp"

namespace torsor {

/// Stands at the beginning of every page without scripts that Torsor makes.
constexpr const char* page_mark = "<meta name=\"generator\" content=\"Torsor\">";

/// A result on one page that prints well: what there is to worry about first, then what was run, the summary,
/// energies, drift, residuals and momenta as plots, where everything ended, the scene. HTML without scripts,
/// in one file. Texts of the scene are data, never markup.
std::string report_page(const StoredResult& result);

/// What a reader must know before the numbers: an early end, constraints that are not held, energy that
/// drifts, fallbacks, notes of the run. Empty for a good run.
std::vector<std::string> warnings_of(const StoredResult& result);

}  // namespace torsor
