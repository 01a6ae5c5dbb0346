#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/geometry/detail/taylor.hpp"

namespace torsor::scene {

class Table;
class TableFiles;

/// A formula of some variables, in postfix order. Evaluation is a loop over a small stack, without the heap.
class Expression {
 public:
  static constexpr std::size_t longest = 1024;       ///< characters
  static constexpr int deepest = 64;                 ///< open brackets plus powers of powers
  static constexpr int stack_size = 320;             ///< operands: at most five for each level
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
    // The functions that are not smooth follow, and the conditions. A condition is the number 1 or -1.
    abs,
    sign,
    floor,
    min,
    max,
    smoothstep,    ///< of a, b, x
    not_negative,  ///< the condition u >= 0
    opposite,      ///< of a condition
    both,          ///< of two conditions
    either,
    choose,  ///< if(condition, u, w)
    table
  };
  struct Step {
    Op op;
    double number = 0;  ///< of a constant
    int index = 0;      ///< of a variable or table; 1 for the max and min of a clamp
  };
  /// How a formula depends on some of its variables, as it is written: x'/x' counts as `higher`.
  enum class Degree { none, linear, affine, higher };

  Expression() = default;
  explicit Expression(std::vector<Step> steps, std::vector<std::shared_ptr<const Table>> tables = {});

  /// The value for these values of the variables, over any scalar. Dual numbers and series give exact
  /// derivatives of any order (evaluate.hpp).
  template <class S>
  S at(const S* variables) const {
    return at(variables, nullptr, static_cast<S*>(nullptr));
  }
  /// A kink is a place where the formula is not smooth. Each kink has a switching function, whose sign, +1 at
  /// 0 too, is the side of the kink on which the variables lie:
  ///
  ///   abs(u), sign(u)     u                 u >= w, u < w   u - w     floor(u)   sin(pi u)
  ///   min(u, w), max      u - w             u <= w, u > w   w - u
  ///   clamp(x, low, high) x - low, max(x, low) - high
  ///   atan2(y, x)         -x y/max(x^2, y^2) if x < 0, otherwise 0
  ///   smoothstep(a, b, x) s, s - 1, where s = (x - a)/(b - a), NaN if a = b; the value is NaN then too
  ///   table(..., x)       (x - a)(b - x)/(b - a) between its kinks a and b, with a sign that changes at each
  ///
  /// `sides`: kink k takes its branch for the side sides[k], +1 or -1, also where its switching function has
  /// the other sign, so that the formula is smooth there. floor(u) then is the integer of that parity (even
  /// for +1) in (u - 3/2, u + 1/2]: it stays the same for half a unit beyond the next integer. The polynomial
  /// of a table likewise continues beyond the next kink. atan2 goes on by pi/4 beyond its jump between pi and
  /// -pi. The side 0 is that of a switching function that rests at 0: sign and abs are 0 there, atan2 is in
  /// [-pi, pi], all other functions take the branch of +1. nullptr: the side of each kink follows from the
  /// value of its switching function, but sign(0) = 0 and abs has the slope 0 at 0. If a side is needed where
  /// the switching function is NaN, the value is NaN too, even if the side is given. `switching`: receives
  /// the values of the switching functions, also those in a branch of `if` that is not taken, where they may
  /// be infinite or NaN. May be nullptr.
  template <class S>
  S at(const S* variables, const signed char* sides, S* switching) const;
  int kinks() const { return kinks_; }
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
  const std::vector<std::shared_ptr<const Table>>& tables() const { return tables_; }
  /// The formula times a number.
  Expression scaled(double factor) const;

 private:
  std::vector<Step> steps_;
  std::vector<std::shared_ptr<const Table>> tables_;
  int kinks_ = 0;
};

/// The names that a formula may use besides pi and e: variables, by their index, and definitions. A
/// definition names a formula of the same variables, which the parser substitutes for the name.
struct Vocabulary {
  std::vector<std::string> variables;
  std::vector<std::pair<std::string, Expression>> definitions = {};
  /// The number n of coordinates if the variables are the coordinates q, then t, then the rates q', as in the
  /// formulas of a [chart]. A definition l of q and t then has the rate l', and formulas may use abs and
  /// sign. -1 for all other formulas.
  int coordinates = -1;
  /// If set, formulas may use quantities of the motion, such as joint.pivot.angle, and all functions.
  /// Quantity k of this list is the variable with the index variables.size() + k. The parser appends new
  /// ones.
  std::vector<std::string>* measured = nullptr;
  TableFiles* files = nullptr;  ///< if set, formulas may use tables
};

/// An expression and the text after it (a unit, or nothing), or the reason why there is no expression.
struct ParsedExpression {
  Expression expression;
  std::string_view rest;
  std::string error;
};

/// Reads the longest expression at the start of a text. It may have numbers, + - * / ^ (right-associative),
/// brackets, the functions of Op and pow, pi, e and the names of the vocabulary, which may end in primes. A
/// quantity of the motion has parts with dots between them; a part that is not a word stands in quotes:
/// joint.'left-hub'.angle. The first argument of `if` is a condition: comparisons, joined by and, or, not.
ParsedExpression parse_expression(std::string_view text, const Vocabulary& vocabulary);
ParsedExpression parse_expression(std::string_view text, std::string_view variable);

/// A function with the number of its continuous derivatives; -1 for a function that jumps.
struct RoughFunction {
  std::string_view name;
  int derivatives = 0;
};
/// The first function of a variable in a formula that has fewer than `derivatives` continuous derivatives, if
/// there is one.
std::optional<RoughFunction> rough_function(const Expression& formula, int derivatives);

}  // namespace torsor::scene
