#pragma once

#include <doctest/doctest.h>

#include "any_field.hpp"
#include "observed_order.hpp"
#include "support/greatest.hpp"
#include "torsor/integrators/integrate.hpp"

namespace torsor::test {

/// The observed order in long double over one second, from n to 2^(count-1) n steps, with `exact`
/// steps as reference.
template <template <class> class Method>
ObservedOrder long_double_order(const std::string& group, int n, int count, int exact) {
  const AnyField field(group);
  const auto end = [&](int steps) {
    AnyField::Point y = field.start();
    integrate_steps<Method>(field, y, 0.L, 1.L / steps, steps);
    return y;
  };
  const AnyField::Point reference = end(exact);
  AnyField::Tangent difference;
  const auto error = [&](int steps) {
    field.difference(end(steps), reference, difference);
    return greatest(difference);
  };
  return observed_order(error, n, count);
}

/// Takes `finer` times as many steps on SE_2(3) and SGal(3), where the error of some methods has its order
/// only at small step sizes. On the other groups the error at these step sizes would be below rounding.
template <template <class> class Method>
void check_high_order(int n, int count, int finer = 1) {
  for (const std::string group : {"SO3", "SE3", "R3xSO3", "SE3xSO3", "SE23", "SGal3"}) {
    CAPTURE(group);
    const int factor = group == "SE23" || group == "SGal3" ? finer : 1;
    const ObservedOrder observed = long_double_order<Method>(group, factor * n, count, factor * 300);
    CAPTURE(observed.text());
    CHECK(observed.slope > Method<AnyField>::order - 0.1);
  }
}

}  // namespace torsor::test
