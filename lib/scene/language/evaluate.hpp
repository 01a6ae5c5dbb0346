#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numbers>
#include <type_traits>

#include "expression.hpp"
#include "table.hpp"
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

/// Whether `combined` computes a step: the arithmetic of two operands, and atan2.
constexpr bool takes_two(Expression::Op op) {
  using Op = Expression::Op;
  return (op >= Op::add && op <= Op::power) || op == Op::atan2;
}

/// The number of operands of a step.
constexpr int operands_of(Expression::Op op) {
  using Op = Expression::Op;
  if (op <= Op::variable) return 0;
  if (op == Op::smoothstep || op == Op::choose) return 3;
  return takes_two(op) || op == Op::min || op == Op::max || op == Op::both || op == Op::either ? 2 : 1;
}

/// The number of kinks of a step other than a table.
constexpr int kinks_of(Expression::Op op) {
  using Op = Expression::Op;
  if (op == Op::atan2) return 1;
  if (op < Op::abs || op >= Op::opposite) return 0;
  return op == Op::smoothstep ? 2 : 1;
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
    default:
      return smooth_at(u, [](const auto& x) { return sqrt(x); });
  }
}

/// The sides of the kinks of a formula, in the order of its steps: the given sides, or the signs of the
/// switching functions. A switching function that is NaN has no side, even if a side is given.
template <class S>
class Sides {
 public:
  Sides(const signed char* given, S* switching) : given_(given), switching_(switching) {}

  /// The side of the next kink, whose switching function has the value u: 1 or -1, or 0 if u is NaN.
  int next(const S& u) {
    if (switching_) *switching_++ = u;
    const auto x = real_part(u);
    const int side = x >= 0 ? 1 : x < 0 ? -1 : 0;
    if (!given_) return side;
    const int held = *given_++ < 0 ? -1 : 1;
    return side == 0 ? 0 : held;
  }
  /// The same for a function that is 0 at 0; NaN if u is NaN.
  S next_sign(const S& u) {
    const S held = given_ ? S(static_cast<double>(*given_)) : S(0);
    return next(u) == 0 || !given() ? sign_of(u) : held;
  }
  bool given() const { return given_ != nullptr; }

 private:
  const signed char* given_;
  S* switching_;
};

template <class S>
S not_a_number() {
  return S(std::numeric_limits<double>::quiet_NaN());
}

/// u for the side 1, w for the side -1.
template <class S>
S chosen(int side, const S& u, const S& w) {
  return side > 0 ? u : side < 0 ? w : not_a_number<S>();
}

/// A switching function whose sign is exact: positive on even intervals, negative on odd ones. Where arch =
/// 0, at the beginning of an interval, it is the number of this sign nearest to 0.
template <class S>
S alternating(bool odd, const S& arch) {
  const S size = real_part(arch) > 0 ? arch : arch + S(std::numeric_limits<double>::denorm_min());
  return odd ? -size : size;
}

/// The angle of the point (x, y) in [-pi, pi]. With a side that is held, the angle continues by pi/4 beyond
/// the jump between pi and -pi.
template <class S>
S angle_of(const S& y, const S& x, Sides<S>& sides) {
  const S angle = combined(Expression::Op::atan2, y, x);
  const double b = real_part(y), a = real_part(x), size = std::max(std::abs(a), std::abs(b));
  const double side = real_part(sides.next_sign(S(a < 0 ? b / size * (-a / size) : 0.)));
  const double turned = side * real_part(angle) < -0.75 * std::numbers::pi ? 2 * std::numbers::pi * side : 0;
  return turned == 0 ? angle : angle + S(turned);
}

template <class S>
S floor_of(const S& u, Sides<S>& sides) {
  const double x = real_part(u), below = std::floor(x), parity = below - 2 * std::floor(below / 2);
  const S arch = torsor::sin(S(std::numbers::pi) * (u - S(below)));
  const int side = sides.next(alternating(parity != 0, arch));
  if (side == 0 || !sides.given()) return S(side == 0 ? x : below);
  const double odd = side < 0;
  return S(2 * std::floor((x + 0.5 - odd) / 2) + odd);
}

template <class S>
S table_at(const Table& table, const S& u, Sides<S>& sides) {
  const double x = real_part(u);
  if (!table.resolves(x)) {
    if (table.has_kinks()) sides.next(u);
    return not_a_number<S>();
  }
  Table::Interval at = table.interval_at(x);
  if (table.has_kinks()) {
    const bool begins = std::isfinite(at.begin), ends = std::isfinite(at.end);
    const S arch = begins && ends ? (u - S(at.begin)) * (S(at.end) - u) / S(at.end - at.begin)
                   : begins       ? u - S(at.begin)
                                  : S(at.end) - u;
    const int side = sides.next(alternating(at.odd(), arch));
    if (sides.given()) at = table.interval_at(x, side < 0);
  }
  const auto [origin, c] = table.cubic_at(x, at);
  if (c[1] == 0 && c[2] == 0 && c[3] == 0) return S(c[0]);  // at infinity too
  const S d = u - S(origin);
  return S(c[0]) + d * (S(c[1]) + d * (S(c[2]) + d * S(c[3])));
}

template <class S>
S smoothstep_of(const S& a, const S& b, const S& x, Sides<S>& sides) {
  const bool no_width = real_part(a) == real_part(b);
  const S s = no_width ? not_a_number<S>() : (x - a) / (b - a);
  const int begun = sides.next(s), ended = sides.next(s - S(1));
  if (begun == 0 || ended == 0 || no_width) return not_a_number<S>();
  return begun < 0 ? S(0) : ended > 0 ? S(1) : s * s * (S(3) - S(2) * s);
}

/// The condition "u and w" if `all`, else the condition "u or w". 1 is true, -1 is false, NaN is unknown.
template <class S>
S joined(bool all, const S& u, const S& w) {
  const double x = real_part(u), y = real_part(w), decides = all ? -1 : 1;
  if (x == decides || y == decides) return S(decides);
  return S(-decides * std::abs(x + y) / 2);
}

/// A function that is not smooth. Its operands, at most three, are u[0], u[1] and u[2].
template <class S>
S kinked(Expression::Op op, const S* u, Sides<S>& sides) {
  using Op = Expression::Op;
  switch (op) {
    case Op::abs:
      return sides.next_sign(u[0]) * u[0];
    case Op::sign:
      return sides.next_sign(u[0]);
    case Op::floor:
      return floor_of(u[0], sides);
    case Op::min:
      return chosen(sides.next(u[0] - u[1]), u[1], u[0]);
    case Op::max:
      return chosen(sides.next(u[0] - u[1]), u[0], u[1]);
    case Op::smoothstep:
      return smoothstep_of(u[0], u[1], u[2], sides);
    case Op::not_negative:
      return chosen(sides.next(u[0]), S(1), S(-1));
    case Op::opposite:
      return -u[0];
    case Op::both:
    case Op::either:
      return joined(op == Op::both, u[0], u[1]);
    default: {
      const auto condition = real_part(u[0]);
      return chosen(condition > 0 ? 1 : condition < 0 ? -1 : 0, u[1], u[2]);
    }
  }
}

template <class S>
S Expression::at(const S* variables, const signed char* sides, S* switching) const {
  alignas(S) std::byte memory[stack_size * sizeof(S)];  // the parser has checked that this suffices
  static_assert(std::is_trivially_destructible_v<S>);
  S* end = reinterpret_cast<S*>(memory);
  Sides<S> branches(sides, switching);
  for (const Step& step : steps_) {
    if (step.op == Op::constant) {
      std::construct_at(end++, step.number);
    } else if (step.op == Op::variable) {
      std::construct_at(end++, variables[step.index]);
    } else if (step.op == Op::negate) {
      end[-1] = -end[-1];
    } else if (step.op == Op::atan2) {
      --end;
      end[-1] = angle_of(end[-1], *end, branches);
    } else if (takes_two(step.op)) {
      --end;
      end[-1] = combined(step.op, end[-1], *end);
    } else if (step.op < Op::abs) {
      end[-1] = function_at(step.op, end[-1]);
    } else if (step.op == Op::table) {
      end[-1] = table_at(*tables_[static_cast<std::size_t>(step.index)], end[-1], branches);
    } else {
      end -= operands_of(step.op) - 1;
      end[-1] = kinked(step.op, end - 1, branches);
    }
  }
  return end[-1];
}

}  // namespace torsor::scene
