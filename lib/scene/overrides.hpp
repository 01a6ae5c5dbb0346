#pragma once

#include "diagnostics.hpp"
#include "document.hpp"

namespace torsor::scene {

/// Carries out those overrides that address something that the document has (tables by name) and returns the
/// others, by index: they may address copies that a repetition is still to make. Everything else that is
/// wrong with a path is reported.
std::vector<int> apply_overrides(Node& document, const Overrides& overrides, const std::vector<int>& which,
                                 Diagnostics& diagnostics);

/// Reports what is left after all repetitions.
void report_unknown(const Node& document, const Overrides& overrides, const std::vector<int>& which,
                    Diagnostics& diagnostics);

}  // namespace torsor::scene
