#pragma once

#include "elimination.hpp"
#include "kkt_kernels.hpp"

/// Kernels of BlockFactor on the columns of a panel that belong to the same neighbours.
namespace torsor::model_detail {

/// Calls use(std::integral_constant<int, N>, column) for strips of N columns. Each strip has as many whole
/// parts as fit into six columns. Since strips begin where parts begin, most numbers are read in the pairs in
/// which they were written.
template <class Use>
void for_strips(const Elimination::Part* part, const Elimination::Part* end, Use use) {
  for (int column = 0; part != end;) {
    int columns = (part++)->size;
    while (part != end && columns + part->size <= 6) columns += (part++)->size;
    with_rows(columns, [&](auto width) { use(width, column); });
    column += columns;
  }
}

/// Copies a block of N rows of A to its place, with the sign of the pivot.
template <int N>
void copy_block(const Elimination::Entry& entry, const double* block, double* to) {
  const double sign = entry.sign;
  if (entry.transposed)
    each<6>([&](auto j) { each<N>([&](auto i) { to[j * entry.stride + i] = sign * block[6 * i + j]; }); });
  else
    each<N>([&](auto i) { each<6>([&](auto j) { to[i * entry.stride + j] = sign * block[6 * i + j]; }); });
}

/// Z = L^-1 panel for N columns of the panel, its rows in pivot order; W = D^-1 Z replaces the panel. The
/// first `Unit` columns of L are those of the unit matrix.
template <int K, int N, int Unit>
[[gnu::flatten]] void reduce_columns(const double (&L)[K][K], const double (&d)[K], const int* order,
                                     Rows<double> panel, Rows<double> Z) {
  Row<N> z[K];
  each<K>([&](auto i) { z[i] = Row<N>::read(panel.begin + order[i] * panel.stride); });
  each<K>([&](auto i) {
    each<i>([&](auto j) {
      if constexpr (j >= Unit) z[i].subtract(L[i][j], z[j]);
    });
    z[i].write(Z.begin + i * Z.stride);
    z[i].times(d[i]).write(panel.begin + i * panel.stride);
  });
}

/// Adds the terms Z_ri W_ri of the pivot of a body or of a joint to the size of each constraint row i and to
/// its doubt, the estimate of its rounding errors (block_factor.hpp).
template <int K, int N>
[[gnu::flatten]] void add_terms(Rows<const double> Z, Rows<const double> W, double* size, double* doubt) {
  Row<N> sum{};
  each<K>([&](auto r) {
    sum.add_terms(Row<N>::read(Z.begin + r * Z.stride), Row<N>::read(W.begin + r * W.stride));
  });
  each<N>([&](auto i) {
    size[i] += sum[i];
    doubt[7 * i] += sum[i];
  });
}

/// doubt += T^T F T with T = L^-T W, all in the order of the pivots. `doubt` is a lower triangle with the
/// stride 6.
template <int K, int N>
[[gnu::flatten]] void pass_doubts(const double (&L)[K][K], const double (&F)[K][K], Rows<const double> W,
                                  double* doubt) {
  Row<N> T[K], FT[K] = {};
  double numbers[K][N];
  each<K>([&](auto n) {
    constexpr int i = K - 1 - n;
    T[i] = Row<N>::read(W.begin + i * W.stride);
    each<n>([&](auto m) { T[i].subtract(L[i + 1 + m][i], T[i + 1 + m]); });
    T[i].write(numbers[i]);
  });
  each<K>([&](auto m) { each<K>([&](auto n) { FT[m].template add<N>(F[m][n], T[n]); }); });
  each<N>([&](auto i) {
    auto sum = Row<N>::read(doubt + 6 * i);
    each<K>([&](auto m) { sum.template add<i + 1>(numbers[m][i], FT[m]); });
    sum.write(doubt + 6 * i);
  });
}

}  // namespace torsor::model_detail
