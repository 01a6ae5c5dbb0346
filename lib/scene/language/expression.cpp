#include "expression.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "evaluate.hpp"

namespace torsor::scene {
namespace {

using Degree = Expression::Degree;
using Op = Expression::Op;

Degree of_sum(Degree u, Degree w) {
  if (u == w) return u;
  return std::max(u, w) == Degree::higher ? Degree::higher : Degree::affine;
}
Degree of_product(Degree u, Degree w) {
  return u == Degree::none ? w : w == Degree::none ? u : Degree::higher;
}
/// The degree of a function that is not linear in its arguments, where u is the highest degree among them.
Degree of_function(Degree u) { return u == Degree::none ? u : Degree::higher; }

Degree combined(Op op, Degree u, Degree w) {
  switch (op) {
    case Op::add:
    case Op::subtract:
      return of_sum(u, w);
    case Op::multiply:
      return of_product(u, w);
    case Op::divide:
      return of_product(u, of_function(w));
    default:
      return of_function(std::max(u, w));
  }
}

/// The degree of a polynomial, infinite for other functions, and the number itself for a number.
struct Power {
  double degree;
  std::optional<double> number = {};
};
constexpr double no_polynomial = std::numeric_limits<double>::infinity();

Power of_function(const Power& u) { return {u.degree == 0 ? 0 : no_polynomial}; }

Power combined(Op op, const Power& u, const Power& w) {
  switch (op) {
    case Op::add:
    case Op::subtract:
      return {std::max(u.degree, w.degree)};
    case Op::multiply:
      return {u.degree + w.degree};
    case Op::divide:
      return w.degree == 0 ? Power{u.degree} : Power{no_polynomial};
    case Op::power:
      if (u.degree > 0 && w.number && (*w.number == 1 || *w.number == 2)) return {u.degree * *w.number};
      [[fallthrough]];
    default:
      return of_function({std::max(u.degree, w.degree)});
  }
}

}  // namespace

double Expression::value(double x) const { return at(&x); }

Taylor<double, 2> Expression::operator()(double x) const {
  auto variable = Taylor<double, 2>::variable();
  variable[0] = x;
  return at(&variable);
}

bool Expression::is_constant() const {
  return std::none_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.op == Op::variable; });
}

bool Expression::has_variable(int first, int last) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
    return step.op == Op::variable && step.index >= first && step.index < last;
  });
}

bool Expression::is_quadratic(int first, int last) const {
  std::vector<Power> stack;
  for (const Step& step : steps_) {
    if (step.op == Op::constant) {
      stack.push_back({0, step.number});
    } else if (step.op == Op::variable) {
      stack.push_back({step.index >= first && step.index < last ? 1. : 0., {}});
    } else if (takes_two(step.op)) {
      const Power w = stack.back();
      stack.pop_back();
      stack.back() = combined(step.op, stack.back(), w);
    } else if (step.op != Op::negate) {
      stack.back() = of_function(stack.back());
    }
  }
  return stack.empty() || stack.back().degree <= 2;
}

Expression::Degree Expression::degree(int first, int last) const {
  std::vector<Degree> stack;
  for (const Step& step : steps_) {
    if (step.op == Op::constant) {
      stack.push_back(Degree::none);
    } else if (step.op == Op::variable) {
      stack.push_back(step.index >= first && step.index < last ? Degree::linear : Degree::none);
    } else if (takes_two(step.op)) {
      const Degree w = stack.back();
      stack.pop_back();
      stack.back() = combined(step.op, stack.back(), w);
    } else if (step.op != Op::negate) {
      stack.back() = of_function(stack.back());
    }
  }
  return stack.empty() ? Degree::none : stack.back();
}

}  // namespace torsor::scene
