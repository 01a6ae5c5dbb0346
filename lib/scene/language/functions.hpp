#pragma once

#include <span>
#include <string_view>

#include "expression.hpp"

namespace torsor::scene {

/// A function of formulas.
struct Function {
  std::string_view name;
  Expression::Op op;
  int arguments;  ///< the number of them; the least number for min and max
};

std::span<const Function> all_functions();

/// Null if no function has the name.
const Function* function_named(std::string_view name);

/// The name of a function that is not smooth, for messages.
std::string_view name_of(const Expression::Step& step);

}  // namespace torsor::scene
