#include "rate.hpp"

#include "evaluate.hpp"

namespace torsor::scene {
namespace {

using Op = Expression::Op;
using Steps = std::vector<Expression::Step>;

/// Formulas as steps. A formula without steps stands for 0, the rate of a constant.
Steps constant(double x) { return {{Op::constant, x, 0}}; }
bool is_zero(const Steps& u) {
  return u.empty() || (u.size() == 1 && u[0].op == Op::constant && u[0].number == 0);
}
Steps operator+(Steps u, const Steps& w) {
  if (w.empty()) return u;
  const bool both = !u.empty();
  u.insert(u.end(), w.begin(), w.end());
  if (both) u.push_back({Op::add});
  return u;
}
Steps of(Op op, Steps u) {
  if (!u.empty()) u.push_back({op});
  return u;
}
Steps operator-(Steps u, const Steps& w) {
  if (u.empty()) return of(Op::negate, w);
  if (w.empty()) return u;
  u.insert(u.end(), w.begin(), w.end());
  return of(Op::subtract, std::move(u));
}
Steps operator*(Steps u, const Steps& w) {
  if (is_zero(u) || is_zero(w)) return {};  // 0 u^-1 in the rate of u^0 is 0, also where u is 0
  u.insert(u.end(), w.begin(), w.end());
  return of(Op::multiply, std::move(u));
}
Steps operator/(Steps u, const Steps& w) {
  if (u.empty()) return {};
  u.insert(u.end(), w.begin(), w.end());
  return of(Op::divide, std::move(u));
}
Steps power(Steps u, const Steps& w) {
  u.insert(u.end(), w.begin(), w.end());
  return of(Op::power, std::move(u));
}
Steps square(const Steps& u) { return power(u, constant(2)); }

/// The derivative of the function `op` at u.
Steps slope(Op op, const Steps& u) {
  switch (op) {
    case Op::sin:
      return of(Op::cos, u);
    case Op::cos:
      return of(Op::negate, of(Op::sin, u));
    case Op::tan:
      return constant(1) + square(of(Op::tan, u));
    case Op::asin:
      return constant(1) / of(Op::sqrt, (constant(1) - u) * (constant(1) + u));
    case Op::acos:
      return constant(-1) / of(Op::sqrt, (constant(1) - u) * (constant(1) + u));
    case Op::atan:
      return constant(1) / (constant(1) + square(u));
    case Op::sinh:
      return of(Op::cosh, u);
    case Op::cosh:
      return of(Op::sinh, u);
    case Op::tanh:
      return constant(1) - square(of(Op::tanh, u));
    case Op::exp:
      return of(Op::exp, u);
    case Op::log:
      return constant(1) / u;
    case Op::abs:
      return of(Op::sign, u);
    case Op::sign:
      return {};
    default:
      return constant(0.5) / of(op, u);  // of sqrt
  }
}

/// A formula with its rate.
struct Moving {
  Steps value, rate;
};

/// The rate of u op w.
Steps combined(Op op, const Moving& u, const Moving& w) {
  switch (op) {
    case Op::add:
      return u.rate + w.rate;
    case Op::subtract:
      return u.rate - w.rate;
    case Op::multiply:
      return u.rate * w.value + w.rate * u.value;
    case Op::divide:
      return (u.rate - u.value / w.value * w.rate) / w.value;
    case Op::power: {
      Steps by_base = w.value * power(u.value, w.value - constant(1)) * u.rate;
      return std::move(by_base) + power(u.value, w.value) * of(Op::log, u.value) * w.rate;
    }
    default:
      return (u.rate * w.value - u.value * w.rate) / (square(u.value) + square(w.value));  // atan2(u, w)
  }
}

Moving variable(const Expression::Step& step, int n) {
  return {{step}, step.index == n ? constant(1) : Steps{{Op::variable, 0, n + 1 + step.index}}};
}

/// Removes the last formula from the stack and returns it.
Moving taken(std::vector<Moving>& stack) {
  Moving last = std::move(stack.back());
  stack.pop_back();
  return last;
}

/// Ends a step with two operands.
void end_of_two(std::vector<Moving>& stack, const Expression::Step& step) {
  const Moving w = taken(stack), u = taken(stack);
  Moving all{u.value, combined(step.op, u, w)};
  all.value.insert(all.value.end(), w.value.begin(), w.value.end());
  all.value.push_back(step);
  stack.push_back(std::move(all));
}

}  // namespace

std::optional<Steps> rate_of(const Expression& formula, int n) {
  std::vector<Moving> stack;
  for (const Expression::Step& step : formula.steps()) {
    if (step.op == Op::constant) {
      stack.push_back({{step}, {}});
    } else if (step.op == Op::variable) {
      stack.push_back(variable(step, n));
    } else if (takes_two(step.op)) {
      end_of_two(stack, step);
    } else {
      Moving& u = stack.back();
      u.rate = step.op == Op::negate ? of(Op::negate, std::move(u.rate)) : u.rate * slope(step.op, u.value);
      u.value.push_back(step);
    }
    if (stack.back().rate.size() > Expression::most_steps) return std::nullopt;
  }
  return stack.empty() || stack.back().rate.empty() ? constant(0) : std::move(stack.back().rate);
}

}  // namespace torsor::scene
