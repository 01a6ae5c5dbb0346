#include "functions.hpp"

#include <algorithm>
#include <iterator>

#include "evaluate.hpp"

namespace torsor::scene {
namespace {

using Op = Expression::Op;

constexpr Function functions[] = {
    {"sin", Op::sin, 1},     {"cos", Op::cos, 1},     {"tan", Op::tan, 1},
    {"asin", Op::asin, 1},   {"acos", Op::acos, 1},   {"atan", Op::atan, 1},
    {"atan2", Op::atan2, 2}, {"sinh", Op::sinh, 1},   {"cosh", Op::cosh, 1},
    {"tanh", Op::tanh, 1},   {"exp", Op::exp, 1},     {"log", Op::log, 1},
    {"sqrt", Op::sqrt, 1},   {"pow", Op::power, 2},   {"abs", Op::abs, 1},
    {"sign", Op::sign, 1},   {"floor", Op::floor, 1}, {"min", Op::min, 2},
    {"max", Op::max, 2},     {"clamp", Op::min, 3},   {"smoothstep", Op::smoothstep, 3},
    {"if", Op::choose, 3}};

/// The number of continuous derivatives of the function of a step; -1 for a function that jumps.
int continuous_derivatives(const Expression& formula, const Expression::Step& step) {
  switch (step.op) {
    case Op::table:
      return formula.tables()[static_cast<std::size_t>(step.index)]->continuous_derivatives();
    case Op::smoothstep:
      return 1;
    case Op::sign:
    case Op::floor:
    case Op::not_negative:
      return -1;
    default:
      return 0;
  }
}

}  // namespace

std::span<const Function> all_functions() { return functions; }

const Function* function_named(std::string_view name) {
  const auto found = std::find_if(std::begin(functions), std::end(functions),
                                  [&](const Function& f) { return f.name == name; });
  return found == std::end(functions) ? nullptr : found;
}

std::string_view name_of(const Expression::Step& step) {
  if (step.op == Op::table) return "table";
  const bool clamp = (step.op == Op::min || step.op == Op::max) && step.index == 1;
  const auto found = std::find_if(std::begin(functions), std::end(functions),
                                  [&](const Function& f) { return f.op == step.op; });
  return clamp ? "clamp" : found == std::end(functions) ? "if" : found->name;
}

std::optional<RoughFunction> rough_function(const Expression& formula, int derivatives) {
  std::vector<char> varies;  // for each operand on the stack: whether it is not constant
  for (const Expression::Step& step : formula.steps()) {
    const auto operands = varies.end() - operands_of(step.op);
    const bool any = step.op == Op::variable || std::find(operands, varies.end(), 1) != varies.end();
    varies.erase(operands, varies.end());
    varies.push_back(any);
    if (!any || (step.op != Op::table && kinks_of(step.op) == 0)) continue;
    if (step.op == Op::atan2) continue;  // an angle need not reach the jump
    const int own = continuous_derivatives(formula, step);
    if (own >= derivatives) continue;
    const bool ends =
        step.op == Op::table && formula.tables()[static_cast<std::size_t>(step.index)]->breaks_at_ends_only();
    return RoughFunction{ends ? "a table with \"clamped\" ends" : name_of(step), own};
  }
  return std::nullopt;
}

}  // namespace torsor::scene
