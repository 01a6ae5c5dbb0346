#pragma once

#include <functional>
#include <string>
#include <utility>

namespace torsor {

/// A number that may depend on time, with its first two derivatives: a constant, or a function of t (s).
/// A scene gives an expression for the function; a user of the library may give any callable.
class TimeFunction {
 public:
  struct Value {
    double value = 0, rate = 0, acceleration = 0;
  };

  TimeFunction(double constant = 0) : constant_(constant) {}
  TimeFunction(std::function<Value(double)> function, std::string text)
      : function_(std::move(function)), text_(std::move(text)) {}

  bool is_constant() const { return !function_; }
  double operator()(double t) const { return function_ ? function_(t).value : constant_; }
  Value with_derivatives(double t) const { return function_ ? function_(t) : Value{constant_, 0, 0}; }
  /// The expression as the user wrote it; empty for a constant.
  const std::string& text() const { return text_; }

 private:
  double constant_ = 0;
  std::function<Value(double)> function_;
  std::string text_;
};

}  // namespace torsor
