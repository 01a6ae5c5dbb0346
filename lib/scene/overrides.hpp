#pragma once

#include "diagnostics.hpp"
#include "document.hpp"

namespace torsor::scene {

/// Applies the overrides with the indices `which`. Returns the indices of the overrides that address a table
/// whose name the document does not have: a repetition may still make a table of that name. Reports all other
/// errors in a path.
std::vector<int> apply_overrides(Node& document, const Overrides& overrides, const std::vector<int>& which,
                                 Diagnostics& diagnostics);

/// The setting of [integrator] that the override of this path removes, because step and tolerance exclude
/// each other; empty if it removes none.
std::string_view rival_setting(std::string_view path);

/// The unit that the schema states for the numbers at a key of the scene; empty if it states none, or if the
/// scene has no such key.
std::string unit_of(const Scene& scene, const std::string& key);

/// Reports the overrides whose names are still unknown after all repetitions.
void report_unknown(const Node& document, const Overrides& overrides, const std::vector<int>& which,
                    Diagnostics& diagnostics);

}  // namespace torsor::scene
