#pragma once

#include <stdexcept>
#include <string>

#include "torsor/lie/types.hpp"

namespace torsor::mechanics {

/// Throws std::invalid_argument if the sizes of a state are not those of its system.
inline void check_size(const State& x, int nq, int nv) {
  if (x.q.size() != nq || x.v.size() != nv)
    throw std::invalid_argument("the state has " + std::to_string(x.q.size()) + " coordinates and " +
                                std::to_string(x.v.size()) + " velocities; the system has " +
                                std::to_string(nq) + " and " + std::to_string(nv));
}

}  // namespace torsor::mechanics
