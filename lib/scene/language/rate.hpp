#pragma once

#include <optional>
#include <vector>

#include "expression.hpp"

namespace torsor::scene {

/// The steps of the rate of a formula of q (n) and t, as a formula of q, t and q' (n): the sum of df/dq_i
/// q_i' and df/dt. Nothing if it has more than
/// Expression::most_steps, or if the formula uses a table.
std::optional<std::vector<Expression::Step>> rate_of(const Expression& formula, int n);

}  // namespace torsor::scene
