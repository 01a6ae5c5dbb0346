#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/geometry/detail/taylor.hpp"

namespace torsor::scene {

/// A formula of some variables, in postfix order. Evaluation is a loop over a small stack, without the heap.
class Expression {
 public:
  static constexpr std::size_t longest = 1024;       ///< characters
  static constexpr int deepest = 64;                 ///< open brackets plus powers
  static constexpr int stack_size = 320;             ///< for each level four pending operands and one on top
  static constexpr std::size_t most_steps = 16'384;  ///< with all definitions substituted

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
    sqrt,
    abs,
    sign
  };
  struct Step {
    Op op;
    double number = 0;  ///< of a constant
    int index = 0;      ///< of a variable
  };
  /// How a formula depends on some of its variables, as it is written: x'/x' counts as `higher`.
  enum class Degree { none, linear, affine, higher };

  Expression() = default;
  explicit Expression(std::vector<Step> steps) : steps_(std::move(steps)) {}

  /// The value for these values of the variables, over any scalar. Dual numbers and series give exact
  /// derivatives of any order (evaluate.hpp).
  template <class S>
  S at(const S* variables) const;
  /// For a formula f of one variable: f(x), and the series f(x + h) = f + f' h + f'' h^2 / 2.
  double value(double x) const;
  Taylor<double, 2> operator()(double x) const;

  bool is_constant() const;
  /// Whether a variable with an index in [first, last) occurs.
  bool has_variable(int first, int last) const;
  Degree degree(int first, int last) const;
  /// Whether the formula is, as it is written, a polynomial of at most the second degree in these variables.
  bool is_quadratic(int first, int last) const;
  const std::vector<Step>& steps() const { return steps_; }

 private:
  std::vector<Step> steps_;
};

/// The names that a formula may use besides pi and e: variables, by their index, and definitions. A
/// definition names a formula of the same variables, which the parser substitutes for the name.
struct Vocabulary {
  std::vector<std::string> variables;
  std::vector<std::pair<std::string, Expression>> definitions = {};
  /// n, if the variables are q (n), t and q' (n): a definition l of q and t then has the rate l'. These are
  /// the formulas of a [chart], which may use abs and sign too. -1 for all other formulas.
  int coordinates = -1;
};

/// An expression and the text after it (a unit, or nothing), or the reason why there is no expression.
struct ParsedExpression {
  Expression expression;
  std::string_view rest;
  std::string error;
};

/// Reads the longest expression at the start of a text. It may have numbers, + - * / ^ (right-associative),
/// brackets, the functions of Op and pow, pi, e and the names of the vocabulary, which may end in primes. All
/// functions but abs and sign are smooth, so that derivatives exist.
ParsedExpression parse_expression(std::string_view text, const Vocabulary& vocabulary);
ParsedExpression parse_expression(std::string_view text, std::string_view variable);

}  // namespace torsor::scene
