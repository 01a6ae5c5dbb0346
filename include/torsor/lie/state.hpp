#pragma once

#include "torsor/lie/types.hpp"

namespace torsor {

/// State of a system: configuration (nq stored numbers of the group) and left-trivialised velocity (nv).
/// `memory` holds the data that a method keeps from step to step besides q and v (the algorithmic
/// acceleration of generalized-alpha, the last slope of a first-same-as-last pair). Empty means "start
/// here". Code that changes q or v must clear it.
struct State {
  Vec q, v;
  Vec memory;
};

}  // namespace torsor
