#pragma once

#include "definitions.hpp"
#include "diagnostics.hpp"
#include "document.hpp"

namespace torsor::scene {

/// Replaces each table with `repeat = N` by N copies without it. In the strings of copy i, {i} becomes the
/// number i (from 0) and {i+1}, {2*i} and the like what they amount to; they may have constants of the
/// definitions in them.
void expand_repeats(Node& document, const Definitions& definitions, Diagnostics& diagnostics);

}  // namespace torsor::scene
