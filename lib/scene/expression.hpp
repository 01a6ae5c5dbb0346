#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jet.hpp"

namespace torsor::scene {

/// A formula of one variable, in postfix order: evaluation is a loop over a small stack, without the heap.
class Expression {
 public:
  static constexpr std::size_t longest = 1024;  ///< characters
  static constexpr int deepest = 64;            ///< brackets and powers
  static constexpr int stack_size = 320;  ///< what that depth can need: four operands pending and one on top

  enum class Op : unsigned char {
    constant,
    variable,
    negate,
    add,
    subtract,
    multiply,
    divide,
    power,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    atan2,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    sqrt
  };
  struct Step {
    Op op;
    double number = 0;
  };

  Expression() = default;
  explicit Expression(std::vector<Step> steps) : steps_(std::move(steps)) {}

  /// The value at x with its derivatives by x.
  Jet operator()(double x) const;
  bool is_constant() const;

 private:
  std::vector<Step> steps_;
};

/// An expression and what stands behind it (a unit, or nothing); or the reason why there is none.
struct ParsedExpression {
  Expression expression;
  std::string_view rest;
  std::string error;
};

/// Reads the longest expression at the front of a text. Numbers, + - * / ^ (right-associative), brackets, the
/// functions of Op (pow as well), pi, e and the variable. Smooth functions only, so that derivatives exist.
ParsedExpression parse_expression(std::string_view text, std::string_view variable);

}  // namespace torsor::scene
