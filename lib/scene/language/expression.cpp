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

/// The degree of a formula as a polynomial. It is infinite if the formula is not a polynomial, or contains
/// powers of the variables other than 1 and 2. `number`: the value of a formula that is a single number.
struct Power {
  double degree = 0;
  std::optional<double> number = {};
};
constexpr double no_polynomial = std::numeric_limits<double>::infinity();

Degree negated(Degree u) { return u; }
Power negated(const Power& u) { return {u.degree, u.number ? std::optional(-*u.number) : std::nullopt}; }

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

bool lower(Degree u, Degree w) { return u < w; }
bool lower(const Power& u, const Power& w) { return u.degree < w.degree; }

/// The grade of a formula, a Degree or a Power: the grade of each step follows from the grades of its
/// arguments.
template <class Grade, class OfConstant, class OfVariable>
Grade graded(const std::vector<Expression::Step>& steps, const OfConstant& constant,
             const OfVariable& variable) {
  std::vector<Grade> stack;
  for (const Expression::Step& step : steps) {
    if (step.op == Op::constant) {
      stack.push_back(constant(step));
    } else if (step.op == Op::variable) {
      stack.push_back(variable(step));
    } else if (takes_two(step.op)) {
      const Grade w = stack.back();
      stack.pop_back();
      stack.back() = combined(step.op, stack.back(), w);
    } else if (step.op == Op::negate) {
      stack.back() = negated(stack.back());
    } else {
      const auto first = stack.end() - operands_of(step.op);
      const Grade function = of_function(
          *std::max_element(first, stack.end(), [](const Grade& u, const Grade& w) { return lower(u, w); }));
      stack.erase(first, stack.end());
      stack.push_back(function);
    }
  }
  return stack.empty() ? Grade{} : stack.back();
}

}  // namespace

Expression::Expression(std::vector<Step> steps, std::vector<std::shared_ptr<const Table>> tables)
    : steps_(std::move(steps)), tables_(std::move(tables)) {
  for (const Step& step : steps_)
    kinks_ +=
        step.op == Op::table ? tables_[static_cast<std::size_t>(step.index)]->has_kinks() : kinks_of(step.op);
}

Expression Expression::scaled(double factor) const {
  auto steps = steps_;
  steps.push_back({Op::constant, factor, 0});
  steps.push_back({Op::multiply});
  return Expression(std::move(steps), tables_);
}

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
  const auto constant = [](const Step& step) { return Power{0, step.number}; };
  const auto variable = [&](const Step& step) {
    return Power{step.index >= first && step.index < last ? 1. : 0.};
  };
  return graded<Power>(steps_, constant, variable).degree <= 2;
}

Expression::Degree Expression::degree(int first, int last) const {
  const auto constant = [](const Step&) { return Degree::none; };
  const auto variable = [&](const Step& step) {
    return step.index >= first && step.index < last ? Degree::linear : Degree::none;
  };
  return graded<Degree>(steps_, constant, variable);
}

}  // namespace torsor::scene
