#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "expression.hpp"
#include "torsor/lie/elementary.hpp"

namespace torsor::scene {

template <class S>
S constant_of(double x) {
  if constexpr (std::is_same_v<S, Jet>)
    return Jet::constant(x);
  else
    return S(x);
}

/// f(u). If u is constant, the result is constant too, even where the slope of f is infinite (sqrt at 0).
template <class S, class Function>
S smooth_at(const S& u, const Function& f) {
  if constexpr (torsor::Differentiable<S>) {
    if (is_plain(u)) return S(f(real_part(u)));
  }
  return f(u);
}

template <class S>
S Expression::at(const S* variables) const {
  using scene::sin, scene::cos, scene::tan, scene::asin, scene::acos, scene::atan, scene::atan2, scene::sinh,
      scene::cosh, scene::tanh, scene::exp, scene::log, scene::sqrt, scene::pow;  // of jets
  using torsor::sin, torsor::cos, torsor::tan, torsor::asin, torsor::acos, torsor::atan, torsor::atan2,
      torsor::sinh, torsor::cosh, torsor::tanh, torsor::exp, torsor::log, torsor::sqrt, torsor::pow;
  alignas(S) std::byte memory[stack_size * sizeof(S)];  // the parser has checked that this suffices
  static_assert(std::is_trivially_destructible_v<S>);
  S* end = reinterpret_cast<S*>(memory);
  const auto smooth = [&](auto f) { end[-1] = smooth_at(end[-1], f); };
  const auto binary = [&](auto f) {
    --end;
    end[-1] = f(end[-1], *end);
  };
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::constant:
        std::construct_at(end++, constant_of<S>(step.number));
        break;
      case Op::variable:
        std::construct_at(end++, variables[step.index]);
        break;
      case Op::negate:
        end[-1] = -end[-1];
        break;
      case Op::add:
        binary([](const S& u, const S& w) { return S(u + w); });
        break;
      case Op::subtract:
        binary([](const S& u, const S& w) { return S(u - w); });
        break;
      case Op::multiply:
        binary([](const S& u, const S& w) { return S(u * w); });
        break;
      case Op::divide:
        binary([](const S& u, const S& w) { return S(u / w); });
        break;
      case Op::power:
        binary([](const S& u, const S& w) { return S(pow(u, w)); });
        break;
      case Op::atan2:
        binary([](const S& u, const S& w) { return S(atan2(u, w)); });
        break;
      case Op::sin:
        smooth([](const auto& u) { return sin(u); });
        break;
      case Op::cos:
        smooth([](const auto& u) { return cos(u); });
        break;
      case Op::tan:
        smooth([](const auto& u) { return tan(u); });
        break;
      case Op::asin:
        smooth([](const auto& u) { return asin(u); });
        break;
      case Op::acos:
        smooth([](const auto& u) { return acos(u); });
        break;
      case Op::atan:
        smooth([](const auto& u) { return atan(u); });
        break;
      case Op::sinh:
        smooth([](const auto& u) { return sinh(u); });
        break;
      case Op::cosh:
        smooth([](const auto& u) { return cosh(u); });
        break;
      case Op::tanh:
        smooth([](const auto& u) { return tanh(u); });
        break;
      case Op::exp:
        smooth([](const auto& u) { return exp(u); });
        break;
      case Op::log:
        smooth([](const auto& u) { return log(u); });
        break;
      case Op::sqrt:
        smooth([](const auto& u) { return sqrt(u); });
        break;
    }
  }
  return end[-1];
}

}  // namespace torsor::scene
