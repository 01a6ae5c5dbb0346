#pragma once

#include <vector>

#include "torsor/model/constraints.hpp"

namespace torsor::mechanics {

/// Groups of closed loops. Loops that share a link or a constraint are in one group; loops that share only
/// the ground are not. Links between the loops of a group belong to it. A link that is connected with a
/// single other link, or with the ground alone, is in no group, and neither are the links that hang on this
/// link alone.
struct ClosedLoops {
  ClosedLoops(int links, const std::vector<Constraints::Item>& items);

  /// The velocities of the links of a group, from those of all links (6 numbers each). If the group has
  /// several links, the velocities are relative to their mean.
  Vec relative(int group, const Vec& V) const;

  std::vector<int> of_link;  ///< the group of each link, or -1
  int groups = 0;
};

}  // namespace torsor::mechanics
