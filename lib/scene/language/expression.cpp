#include "expression.hpp"

#include <algorithm>
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
