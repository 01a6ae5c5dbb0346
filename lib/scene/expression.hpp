#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jet.hpp"

namespace torsor::scene {

/// A formula of some variables, in postfix order: evaluation is a loop over a small stack, without the heap.
class Expression {
 public:
  static constexpr std::size_t longest = 1024;  ///< characters
  static constexpr int deepest = 64;            ///< brackets and powers
  static constexpr int stack_size = 320;  ///< what that depth can need: four operands pending and one on top
  static constexpr std::size_t most_steps = 16'384;  ///< with all definitions written out

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
    double number = 0;  ///< of a constant
    int index = 0;      ///< of a variable
  };
  /// How a formula depends on some of its variables, as it is written: x'/x' is not linear.
  enum class Degree { none, linear, affine, higher };

  Expression() = default;
  explicit Expression(std::vector<Step> steps) : steps_(std::move(steps)) {}

  /// The value where the variables have these values, over any scalar: exact derivatives of any order by dual
  /// numbers and series (evaluate.hpp).
  template <class S>
  S at(const S* variables) const;
  /// The value at x, of one variable, with its derivatives by x.
  Jet operator()(double x) const;

  bool is_constant() const;
  /// Whether a variable from index `first` on and before `last` occurs.
  bool has_variable(int first, int last) const;
  Degree degree(int first, int last) const;
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

/// What the names in a formula mean besides pi and e: variables, by their place, and names for other formulas
/// of the same variables, which are written out where they stand.
struct Vocabulary {
  std::vector<std::string> variables;
  std::vector<std::pair<std::string, Expression>> definitions = {};
};

/// An expression and what stands behind it (a unit, or nothing); or the reason why there is none.
struct ParsedExpression {
  Expression expression;
  std::string_view rest;
  std::string error;
};

/// Reads the longest expression at the front of a text. Numbers, + - * / ^ (right-associative), brackets, the
/// functions of Op (pow as well), pi, e and the vocabulary, whose names may end in primes. Smooth functions
/// only, so that derivatives exist.
ParsedExpression parse_expression(std::string_view text, const Vocabulary& vocabulary);
ParsedExpression parse_expression(std::string_view text, std::string_view variable);

}  // namespace torsor::scene
