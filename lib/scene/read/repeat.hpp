#pragma once

#include "scene/diagnostics.hpp"
#include "scene/document.hpp"
#include "scene/language/definitions.hpp"

namespace torsor::scene {

/// Replaces each table that has `repeat = N` by N copies without this key. In the strings of copy i (from 0),
/// {i} becomes the number i, and formulas such as {i+1} and {2*i} become their values. The formulas may use
/// constant definitions.
void expand_repeats(Node& document, const Definitions& definitions, Diagnostics& diagnostics);

}  // namespace torsor::scene
