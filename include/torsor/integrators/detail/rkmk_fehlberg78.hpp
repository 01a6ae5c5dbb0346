#pragma once

#include <array>
#include <cstddef>

#include "torsor/integrators/detail/explicit_pair.hpp"
#include "torsor/integrators/detail/munthe_kaas.hpp"
#include "torsor/integrators/detail/quotient.hpp"

namespace torsor {

namespace detail {

/// The method of order 8 of Fehlberg, NASA TR R-287, 1968. Its solutions of orders 7 and 8 have the same
/// weights for a field of time alone, so their difference does not estimate the error there. The estimate
/// joins two other differences (ExplicitPair): `fifth`, and the difference from Radau's rule `third` of order
/// 3, which has the slopes at 0 and 2/3.
///
///   rows      a, row after row
///   weights   weights of order 8
///   fifth     a difference that is zero for all elementary differentials up to order 5, and has slopes at 0,
///             1/6 ... 1. Apart from Fehlberg's, there are two independent differences of this kind. This is
///             their linear combination whose greatest value on the differentials of order 6 is least for a
///             given weight at 1. Its factor 1/300 makes the errors of pendulums, orbits and spins under a
///             tolerance about those of Fehlberg's estimate.
struct Fehlberg78Table {
  static constexpr int stages = 13, order = 8, error_order = 7;

  static constexpr long double a(std::size_t i, std::size_t j) { return rows[i * (i - 1) / 2 + j]; }
  static constexpr long double b(std::size_t j) { return weights[j]; }
  static constexpr long double c(std::size_t i) { return abscissae[i]; }
  static constexpr long double error(std::size_t j) { return fifth[j] / 300; }
  static constexpr long double coarse_error(std::size_t j) { return weights[j] - third[j]; }

  // clang-format off
  static constexpr std::array<Quotient, 78> rows{{
      {2, 27},
      {1, 36}, {1, 12},
      {1, 24}, {0}, {1, 8},
      {5, 12}, {0}, {-25, 16}, {25, 16},
      {1, 20}, {0}, {0}, {1, 4}, {1, 5},
      {-25, 108}, {0}, {0}, {125, 108}, {-65, 27}, {125, 54},
      {31, 300}, {0}, {0}, {0}, {61, 225}, {-2, 9}, {13, 900},
      {2}, {0}, {0}, {-53, 6}, {704, 45}, {-107, 9}, {67, 90}, {3},
      {-91, 108}, {0}, {0}, {23, 108}, {-976, 135}, {311, 54}, {-19, 60}, {17, 6}, {-1, 12},
      {2383, 4100}, {0}, {0}, {-341, 164}, {4496, 1025}, {-301, 82}, {2133, 4100}, {45, 82}, {45, 164}, {18, 41},
      {3, 205}, {0}, {0}, {0}, {0}, {-6, 41}, {-3, 205}, {-3, 41}, {3, 41}, {6, 41}, {0},
      {-1777, 4100}, {0}, {0}, {-341, 164}, {4496, 1025}, {-289, 82}, {2193, 4100}, {51, 82}, {33, 164}, {12, 41},
      {0}, {1},
  }};
  static constexpr std::array<Quotient, 13> weights{{
      {0}, {0}, {0}, {0}, {0}, {34, 105}, {9, 35}, {9, 35}, {9, 280}, {9, 280}, {0}, {41, 840}, {41, 840}}};
  static constexpr std::array<Quotient, 13> fifth{{
      {-23, 2}, {0}, {0}, {0}, {0}, {105}, {13, 2}, {113, 2}, {-95, 2}, {-110}, {0}, {0}, {1}}};
  static constexpr std::array<Quotient, 13> third{{
      {1, 4}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {3, 4}, {0}, {0}, {0}, {0}}};
  static constexpr std::array<Quotient, 13> abscissae{{
      {0}, {2, 27}, {1, 9}, {1, 6}, {5, 12}, {1, 2}, {5, 6}, {1, 6}, {2, 3}, {1, 3}, {1}, {0}, {1}}};
  // clang-format on
};

}  // namespace detail

/// The method of order 8 of Fehlberg in the exponential chart: thirteen evaluations a step, an error estimate
/// proportional to h^8 (ExplicitPair).
template <LieField F>
using RkmkFehlberg78 =
    MuntheKaas<F, ExplicitPair<detail::Fehlberg78Table, typename F::Tangent, typename F::Scalar>>;

}  // namespace torsor
