#include "expression.hpp"

#include <algorithm>
#include <array>

namespace torsor::scene {

Jet Expression::operator()(double x) const {
  std::array<Jet, stack_size> stack;  // the parser has checked that it suffices
  Jet* end = stack.data();
  const auto unary = [&](auto f) { end[-1] = f(end[-1]); };
  const auto binary = [&](auto f) {
    --end;
    end[-1] = f(end[-1], *end);
  };
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::constant:
        *end++ = Jet::constant(step.number);
        break;
      case Op::variable:
        *end++ = Jet::variable(x);
        break;
      case Op::negate:
        unary([](const Jet& u) { return -u; });
        break;
      case Op::add:
        binary([](const Jet& u, const Jet& w) { return u + w; });
        break;
      case Op::subtract:
        binary([](const Jet& u, const Jet& w) { return u - w; });
        break;
      case Op::multiply:
        binary([](const Jet& u, const Jet& w) { return u * w; });
        break;
      case Op::divide:
        binary([](const Jet& u, const Jet& w) { return u / w; });
        break;
      case Op::power:
        binary([](const Jet& u, const Jet& w) { return pow(u, w); });
        break;
      case Op::atan2:
        binary([](const Jet& u, const Jet& w) { return atan2(u, w); });
        break;
      case Op::sin:
        unary([](const Jet& u) { return sin(u); });
        break;
      case Op::cos:
        unary([](const Jet& u) { return cos(u); });
        break;
      case Op::tan:
        unary([](const Jet& u) { return tan(u); });
        break;
      case Op::asin:
        unary([](const Jet& u) { return asin(u); });
        break;
      case Op::acos:
        unary([](const Jet& u) { return acos(u); });
        break;
      case Op::atan:
        unary([](const Jet& u) { return atan(u); });
        break;
      case Op::sinh:
        unary([](const Jet& u) { return sinh(u); });
        break;
      case Op::cosh:
        unary([](const Jet& u) { return cosh(u); });
        break;
      case Op::tanh:
        unary([](const Jet& u) { return tanh(u); });
        break;
      case Op::exp:
        unary([](const Jet& u) { return exp(u); });
        break;
      case Op::log:
        unary([](const Jet& u) { return log(u); });
        break;
      case Op::sqrt:
        unary([](const Jet& u) { return sqrt(u); });
        break;
    }
  }
  return end[-1];
}

bool Expression::is_constant() const {
  return std::none_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.op == Op::variable; });
}

}  // namespace torsor::scene
