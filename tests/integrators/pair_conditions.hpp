#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

namespace torsor::test {

/// sum_i weight(i) f(i) over the stages of a table of ExplicitPair.
template <class Table, class Weight, class F>
long double sum_over_stages(const Weight& weight, const F& f) {
  long double sum = 0;
  for (std::size_t i = 0; i < Table::stages; ++i) sum += weight(i) * f(i);
  return sum;
}

/// Whether a sum has its exact value within 2e-16. The tables have 18 digits, and terms of the sums cancel.
inline bool is_close(long double got, long double exact) {
  return static_cast<double>(std::abs(got - exact)) < 2e-16;
}

/// Checks the quadrature conditions. Rows of `a` sum to `c`. `b` integrates t^k exactly for k < order. With
/// the rows of `a` as the inner integral, `b` gives the double integral of t^k exactly for k + 1 < order.
/// The difference `error` vanishes on t^k for k < embedded_order and does not vanish for k = embedded_order.
template <class Table>
void check_pair(int embedded_order) {
  const auto power = [](int k) { return [k](std::size_t i) { return std::pow(Table::c(i), k); }; };
  const auto row = [&](std::size_t i, int k) {
    return sum_over_stages<Table>([&](std::size_t j) { return j < i ? Table::a(i, j) : 0.L; }, power(k));
  };
  for (std::size_t i = 1; i < Table::stages; ++i) {
    CAPTURE(i);
    CHECK(is_close(row(i, 0), Table::c(i)));
  }
  for (int k = 0; k < Table::order; ++k) {
    CAPTURE(k);
    CHECK(is_close(sum_over_stages<Table>(Table::b, power(k)), 1.L / (k + 1)));
    const auto integral = [&](std::size_t i) { return row(i, k); };
    if (k + 1 < Table::order)
      CHECK(is_close(sum_over_stages<Table>(Table::b, integral), 1.L / (k + 1) / (k + 2)));
    if (k < embedded_order) CHECK(is_close(sum_over_stages<Table>(Table::error, power(k)), 0));
  }
  CHECK(std::abs(sum_over_stages<Table>(Table::error, power(embedded_order))) > 1e-9L);
}

}  // namespace torsor::test
