#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "expression.hpp"
#include "torsor/lie/elementary.hpp"

namespace torsor::scene {

/// The sign of u, 0 at 0, without derivatives. So abs(u) = sign(u) u has the derivative 0 at 0.
template <class S>
S sign_of(const S& u) {
  const auto x = real_part(u);
  return S(x > 0 ? 1. : x < 0 ? -1. : x);
}

/// f(u). If u is constant, the result is constant too, even where the slope of f is infinite (sqrt at 0).
template <class S, class Function>
S smooth_at(const S& u, const Function& f) {
  if constexpr (torsor::Differentiable<S>) {
    if (is_plain(u)) return S(f(real_part(u)));
  }
  return f(u);
}

template <class S, class Function>
S smooth_at(const S& u, const S& w, const Function& f) {
  if constexpr (torsor::Differentiable<S>) {
    if (is_plain(u) && is_plain(w)) return S(f(real_part(u), real_part(w)));
  }
  return f(u, w);
}

constexpr bool takes_two(Expression::Op op) {
  using Op = Expression::Op;
  return (op >= Op::add && op <= Op::power) || op == Op::atan2;
}

/// u op w.
template <class S>
S combined(Expression::Op op, const S& u, const S& w) {
  using Op = Expression::Op;
  switch (op) {
    case Op::add:
      return u + w;
    case Op::subtract:
      return u - w;
    case Op::multiply:
      return u * w;
    case Op::divide:
      return u / w;
    case Op::power:
      return smooth_at(u, w, [](const auto& x, const auto& y) { return torsor::pow(x, y); });
    default:
      return smooth_at(u, w, [](const auto& x, const auto& y) { return torsor::atan2(x, y); });
  }
}

/// The function `op` of u.
template <class S>
S function_at(Expression::Op op, const S& u) {
  using torsor::sin, torsor::cos, torsor::tan, torsor::asin, torsor::acos, torsor::atan, torsor::sinh,
      torsor::cosh, torsor::tanh, torsor::exp, torsor::log, torsor::sqrt;
  using Op = Expression::Op;
  switch (op) {
    case Op::sin:
      return smooth_at(u, [](const auto& x) { return sin(x); });
    case Op::cos:
      return smooth_at(u, [](const auto& x) { return cos(x); });
    case Op::tan:
      return smooth_at(u, [](const auto& x) { return tan(x); });
    case Op::asin:
      return smooth_at(u, [](const auto& x) { return asin(x); });
    case Op::acos:
      return smooth_at(u, [](const auto& x) { return acos(x); });
    case Op::atan:
      return smooth_at(u, [](const auto& x) { return atan(x); });
    case Op::sinh:
      return smooth_at(u, [](const auto& x) { return sinh(x); });
    case Op::cosh:
      return smooth_at(u, [](const auto& x) { return cosh(x); });
    case Op::tanh:
      return smooth_at(u, [](const auto& x) { return tanh(x); });
    case Op::exp:
      return smooth_at(u, [](const auto& x) { return exp(x); });
    case Op::log:
      return smooth_at(u, [](const auto& x) { return log(x); });
    case Op::abs:
      return sign_of(u) * u;
    case Op::sign:
      return sign_of(u);
    default:
      return smooth_at(u, [](const auto& x) { return sqrt(x); });
  }
}

template <class S>
S Expression::at(const S* variables) const {
  alignas(S) std::byte memory[stack_size * sizeof(S)];  // the parser has checked that this suffices
  static_assert(std::is_trivially_destructible_v<S>);
  S* end = reinterpret_cast<S*>(memory);
  for (const Step& step : steps_) {
    if (step.op == Op::constant) {
      std::construct_at(end++, step.number);
    } else if (step.op == Op::variable) {
      std::construct_at(end++, variables[step.index]);
    } else if (step.op == Op::negate) {
      end[-1] = -end[-1];
    } else if (takes_two(step.op)) {
      --end;
      end[-1] = combined(step.op, end[-1], *end);
    } else {
      end[-1] = function_at(step.op, end[-1]);
    }
  }
  return end[-1];
}

}  // namespace torsor::scene
