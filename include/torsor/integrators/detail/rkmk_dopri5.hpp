#pragma once

#include <array>
#include <cstddef>

#include "torsor/integrators/detail/explicit_pair.hpp"
#include "torsor/integrators/detail/munthe_kaas.hpp"

namespace torsor {

namespace detail {

struct Dopri5Table {
  static constexpr int stages = 7, order = 5, error_order = 4;
  static constexpr bool first_same_as_last = true;

  static constexpr long double a(std::size_t i, std::size_t j) { return rows[i * (i - 1) / 2 + j]; }
  static constexpr long double c(std::size_t i) { return abscissae[i]; }
  static constexpr long double error(std::size_t j) { return difference[j]; }

  // clang-format off
  static constexpr std::array<long double, 21> rows{
      1 / 5.L,
      3 / 40.L, 9 / 40.L,
      44 / 45.L, -56 / 15.L, 32 / 9.L,
      19372 / 6561.L, -25360 / 2187.L, 64448 / 6561.L, -212 / 729.L,
      9017 / 3168.L, -355 / 33.L, 46732 / 5247.L, 49 / 176.L, -5103 / 18656.L,
      35 / 384.L, 0, 500 / 1113.L, 125 / 192.L, -2187 / 6784.L, 11 / 84.L,
  };
  static constexpr std::array<long double, 7> difference{
      71 / 57600.L, 0, -71 / 16695.L, 71 / 1920.L, -17253 / 339200.L, 22 / 525.L, -1 / 40.L};
  static constexpr std::array<long double, 7> abscissae{0, 1 / 5.L, 3 / 10.L, 4 / 5.L, 8 / 9.L, 1, 1};
  // clang-format on
};

}  // namespace detail

/// The pair of order 5(4) of Dormand and Prince (J. Comp. Appl. Math. 6 (1980) 19-26) in the exponential
/// chart: six evaluations a step, since the last slope is the first of the next step; the integration
/// continues from the solution of order 5.
template <LieField F>
using RkmkDopri5 = MuntheKaas<F, ExplicitPair<detail::Dopri5Table, typename F::Tangent, typename F::Scalar>>;

}  // namespace torsor
