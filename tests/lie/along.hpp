#pragma once

#include "torsor/lie/dual.hpp"

namespace torsor::test {

/// x + e d, e^2 = 0: the dual part of a function of it is the derivative of the function along d.
template <int n>
Vector<Dual<double>, n> along(const Vector<double, n>& x, const Vector<double, n>& d) {
  Vector<Dual<double>, n> both;
  for (int i = 0; i < n; ++i) both[i] = Dual<double>(x[i], d[i]);
  return both;
}

}  // namespace torsor::test
