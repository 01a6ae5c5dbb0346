#pragma once

#include <cstring>

#include "torsor/lie/types.hpp"

namespace torsor::mechanics {

/// Whether two vectors have the same bits. Takes a fraction of the time of Eigen's ==, which is not
/// vectorised.
inline bool same_numbers(VecIn a, VecIn b) {
  const auto size = static_cast<std::size_t>(a.size());
  return a.size() == b.size() && (size == 0 || std::memcmp(a.data(), b.data(), sizeof(double) * size) == 0);
}

}  // namespace torsor::mechanics
