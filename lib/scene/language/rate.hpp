#pragma once

#include <optional>
#include <vector>

#include "expression.hpp"

namespace torsor::scene {

/// The steps of the rate of a formula f of n coordinates q and t: the sum of (df/dq_i) q_i', plus df/dt. The
/// variables of the rate are q, t and the n rates q'. Returns nothing if the rate has more than
/// Expression::most_steps steps. Of the functions that are not smooth, f may use abs and sign only.
std::optional<std::vector<Expression::Step>> rate_of(const Expression& formula, int n);

}  // namespace torsor::scene
