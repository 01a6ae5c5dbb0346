#pragma once

#include <string>
#include <vector>

#include "torsor/io/stored_result.hpp"

namespace torsor {

/// Text at the beginning of every page without scripts that Torsor makes.
constexpr const char* page_mark = "<meta name=\"generator\" content=\"Torsor\">";

/// A result as one page for print: first warnings, then what was run, the summary, plots of energies,
/// drift, residuals and momenta, the final state, and the scene. HTML without scripts, in one file. Texts
/// of the scene are data, never markup.
std::string report_page(const StoredResult& result);

/// Warnings that a reader needs before the numbers: an early end, constraints that are not satisfied,
/// energy drift, fallbacks to the general solver, notes of the run. Empty for a good run.
std::vector<std::string> warnings_of(const StoredResult& result);

}  // namespace torsor
