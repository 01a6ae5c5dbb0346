#pragma once

#include <vector>

#include "torsor/system/mechanism_system.hpp"

namespace torsor {

/// The wrench that one joint outside the tree, or one constraint, exerts for given multipliers of the m rows
/// of a mechanism.
struct Reaction {
  int item = 0;    ///< index in constraints().items()
  Wrench on_body;  ///< on the first link of the item, at its mass centre, world axes
  Vec multipliers;
  double power = 0;  ///< -lambda a0, W
};
/// The reactions at (t, q, v). Adds the wrenches on all links to `on_links`.
std::vector<Reaction> reactions(const MechanismSystem& system, double t, VecIn q, VecIn v, VecIn lambda,
                                std::vector<Wrench>& on_links);

/// Over the m rows, 1 for redundant rows at (t, q).
std::vector<char> redundant_rows(const MechanismSystem& system, double t, VecIn q);

/// Over constraints().items(), 1 where the multipliers at (t, q) are unique: no vanishing combination of rows
/// involves rows of the item.
std::vector<char> unique_multipliers(const MechanismSystem& system, double t, VecIn q);

}  // namespace torsor
