#pragma once

#include "torsor/lie/types.hpp"

namespace torsor {

/// Where a system is: configuration (nq stored numbers of the group) and left-trivialised velocity (nv).
/// `memory` is what a method carries from step to step besides q and v (the algorithmic acceleration of
/// generalized-alpha, the last slope of a first-same-as-last pair); empty means "start here", and whoever
/// changes q or v by hand clears it.
struct State {
  Vec q, v;
  Vec memory;
};

}  // namespace torsor
