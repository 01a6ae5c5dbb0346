#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace torsor::model_detail {

/// Decides which scalar pivots of constraint rows are accepted: the pivots above max(tolerance * uncertainty,
/// added), where `uncertainty` is the sum of the sizes of the pivot's terms, each times its loss of digits. A
/// row whose pivot is not accepted is redundant, and `redundant_inverse` replaces its inverse pivot.
struct PivotRule {
  double tolerance;
  const double* added;              // amount added to the pivots, by row
  const double* redundant_inverse;  // inverse pivots of redundant rows, by row
  char* redundant;                  // whether the row is redundant, by row
  double* row_growth;               // size / pivot by row, 0 where the row is redundant
  double least_body = 1;            // least pivot of a body
  double spoilt = 0;                // NaN once a pivot is not finite
  double growth = 1;                // greatest size / pivot
  int growth_row = -1;

  void body(double pivot) {
    least_body = std::min(least_body, pivot);
    spoilt += 0 * pivot;
  }
  double inverse(double pivot, double row_size, double uncertainty, int row) {
    const bool independent = !(pivot <= std::max(tolerance * uncertainty, added[row]));
    redundant[row] = !independent;
    spoilt += 0 * pivot;
    row_growth[row] = independent ? row_size / pivot : 0;
    if (!independent) return redundant_inverse[row];
    const double inverse = 1 / pivot;
    if (!(row_growth[row] <= growth)) {
      growth = row_growth[row];
      growth_row = row;
    }
    return inverse;
  }
};

/// f(0), ..., f(N - 1) with indices known at compile time: compilers keep loops of decreasing length as
/// loops.
template <int N, class F>
void each(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (f(std::integral_constant<int, I>{}), ...); }
  (std::make_integer_sequence<int, N>{});
}

/// As `factor_pivot` without row exchanges; also replaces the panel by L^-1 panel.
template <int K, class Row, class Inverse>
void factor_block(double (&P)[K][K], Row (&panel)[K], double (&d)[K], Inverse inverse) {
  each<K>([&](auto i) {
    d[i] = inverse(i, P[i][i]);
    double l[K];
    each<K - 1 - i>([&](auto n) { l[i + 1 + n] = P[i + 1 + n][i] * d[i]; });
    each<K - 1 - i>([&](auto n) {
      constexpr int j = i + 1 + n;
      each<n + 1>([&](auto m) { P[j][i + 1 + m] -= l[j] * P[i + 1 + m][i]; });
      panel[j].subtract(l[j], panel[i]);
    });
    each<K - 1 - i>([&](auto n) { P[i + 1 + n][i] = l[i + 1 + n]; });
  });
}

/// Two doubles in one SIMD vector.
using Lane = double __attribute__((vector_size(16)));
/// N doubles in lanes, the last one padded where N is odd.
template <int N>
struct Row {
  static constexpr int lanes = (N + 1) / 2;
  Lane lane[lanes];

  double operator[](int i) const { return lane[i / 2][i % 2]; }
  void subtract(double factor, const Row& other) {
    each<lanes>([&](auto k) { lane[k] -= factor * other.lane[k]; });
  }
  /// Adds factor * other in the lanes that hold the first `Count` numbers.
  template <int Count>
  void add(double factor, const Row& other) {
    each<(Count + 1) / 2>([&](auto k) { lane[k] += factor * other.lane[k]; });
  }
  static Row read(const double* from) {
    Row out;
    each<N / 2>([&](auto k) { std::memcpy(&out.lane[k], from + 2 * k, sizeof(Lane)); });
    if constexpr (N % 2) out.lane[lanes - 1] = Lane{from[N - 1], 0};
    return out;
  }
  static Row read(const double* from, int step) {
    Row out;
    each<lanes>([&](auto k) {
      out.lane[k] = Lane{from[2 * k * step], 2 * k + 1 < N ? from[(2 * k + 1) * step] : 0};
    });
    return out;
  }
  void write(double* to) const {
    each<N / 2>([&](auto k) { std::memcpy(to + 2 * k, &lane[k], sizeof(Lane)); });
    if constexpr (N % 2) to[N - 1] = lane[lanes - 1][0];
  }
};

/// Adds the lower triangle of the sum of Z[r]^T W[r] over the rows r to S.
template <int K, int N>
void add_products(const Row<N> (&Z)[K], const Row<N> (&W)[K], Row<N> (&S)[N]) {
  each<N>([&](auto a) { each<K>([&](auto r) { S[a].template add<a + 1>(Z[r][a], W[r]); }); });
}

/// Stores unit L with D^-1 in place of its diagonal; returns where the panel starts.
template <int K>
double* store(const double (&L)[K][K], const double (&d)[K], double* to) {
  each<K>([&](auto i) {
    each<i>([&](auto j) { to[i * K + j] = L[i][j]; });
    to[i * K + i] = d[i];
  });
  return to + K * K;
}

/// W = D^-1 Z, stored in W and in the factor; returns the end of the panel.
template <int K, int N>
double* scale(const double (&d)[K], const Row<N> (&Z)[K], Row<N> (&W)[K], double* to) {
  each<K>([&](auto i) {
    each<Row<N>::lanes>([&](auto k) { W[i].lane[k] = d[i] * Z[i].lane[k]; });
    W[i].write(to + i * N);
  });
  return to + K * N;
}

/// Eliminates a body and its joint of M rows. P: the body's pivot; A_c, A_p: the joint's blocks of the body
/// and of the parent (null: no parent); P_p, `to_parent`: the parent's pivot before and after.
template <int M>
void factor_pair(PivotRule& rule, const double* P, const double* A_c, const double* A_p, const double* P_p,
                 double* factor, double* to_parent, int row) {
  double L[6][6], d[6];
  Row<M> Z[6], W[6];
  each<6>([&](auto i) {
    each<i + 1>([&](auto j) { L[i][j] = P[6 * i + j]; });
    Z[i] = Row<M>::read(A_c + i, 6);
  });
  factor_block<6>(L, Z, d, [&](int, double pivot) {
    rule.body(pivot);
    return 1 / pivot;
  });
  factor = scale(d, Z, W, store(L, d, factor));

  Row<M> sums[M] = {};
  add_products<6, M>(Z, W, sums);
  double S[M][M], e[M], size[M];
  Row<6> U[M], V[M];
  each<M>([&](auto a) {
    each<a + 1>([&](auto b) { S[a][b] = sums[a][b]; });
    size[a] = S[a][a];
    S[a][a] += rule.added[row + a];
    U[a] = A_p ? Row<6>::read(A_p + 6 * a) : Row<6>{};
  });
  factor_block<M>(S, U, e, [&](int a, double p) { return rule.inverse(p, size[a], size[a], row + a); });
  factor = store(S, e, factor);
  if (!A_p) return;
  scale(e, U, V, factor);
  Row<6> parent[6];
  each<6>([&](auto i) { parent[i] = Row<6>::read(P_p + 6 * i); });
  add_products<M, 6>(U, V, parent);
  each<6>([&](auto i) { parent[i].write(to_parent + 6 * i); });
}

/// L D L^T of the pivot P, lower triangle given. Before step i, rows i and next(i) >= i are exchanged.
template <int K, class Next, class Inverse>
void factor_pivot(double (&P)[K][K], double (&d)[K], Next next, Inverse inverse) {
  each<K>([&](auto i) {
    if (const int j = next(i); j != i) {
      std::swap(P[i][i], P[j][j]);
      for (int m = 0; m < i; ++m) std::swap(P[i][m], P[j][m]);
      for (int m = i + 1; m < j; ++m) std::swap(P[m][i], P[j][m]);
      for (int m = j + 1; m < K; ++m) std::swap(P[m][i], P[m][j]);
    }
    d[i] = inverse(i, P[i][i]);
    double l[K];
    each<K - 1 - i>([&](auto n) { l[i + 1 + n] = P[i + 1 + n][i] * d[i]; });
    each<K - 1 - i>([&](auto n) {
      each<n + 1>([&](auto m) { P[i + 1 + n][i + 1 + m] -= l[i + 1 + n] * P[i + 1 + m][i]; });
    });
    each<K - 1 - i>([&](auto n) { P[i + 1 + n][i] = l[i + 1 + n]; });
  });
}

/// Z = L^-1 panel, its rows in pivot order; W = D^-1 Z replaces the panel. The width must be even.
template <int K>
void reduce_panel(const double (&L)[K][K], const double (&d)[K], const int (&order)[K], int width,
                  double* panel, double* Z) {
  for (int c = 0; c < width; c += 2) {
    Lane z[K];
    each<K>([&](auto i) { std::memcpy(&z[i], panel + order[i] * width + c, sizeof(Lane)); });
    each<K>([&](auto i) {
      each<i>([&](auto j) { z[i] -= L[i][j] * z[j]; });
      std::memcpy(Z + i * width + c, &z[i], sizeof(Lane));
    });
    each<K>([&](auto i) {
      const Lane w = d[i] * z[i];
      std::memcpy(panel + i * width + c, &w, sizeof(Lane));
    });
  }
}

/// to += sign Z^T W for the first `rows` columns of Z and N columns of W; Z and W are K x width.
template <int K, int N>
void add_product(double sign, int rows, int width, const double* Z, const double* W, double* to, int stride) {
  Row<N> w[K];
  each<K>([&](auto r) {
    w[r] = Row<N>::read(W + r * width);
    each<Row<N>::lanes>([&](auto k) { w[r].lane[k] *= sign; });
  });
  for (int i = 0; i < rows; ++i) {
    auto sum = Row<N>::read(to + i * stride);
    each<K>([&](auto r) { sum.template add<N>(Z[r * width + i], w[r]); });
    sum.write(to + i * stride);
  }
}

/// b <- L^-1 b
template <int K>
void solve_lower(const double* L, double (&b)[K]) {
  each<K>([&](auto i) { each<K - 1 - i>([&](auto n) { b[i + 1 + n] -= L[(i + 1 + n) * K + i] * b[i]; }); });
}
/// b <- L^-T b
template <int K>
void solve_upper(const double* L, double (&b)[K]) {
  each<K>([&](auto n) {
    constexpr int i = K - 1 - n;
    each<i>([&](auto j) { b[j] -= L[i * K + j] * b[i]; });
  });
}
/// b . row
template <int N>
double dot(const double* row, const double (&b)[N]) {
  double even = 0, odd = 0;
  each<N>([&](auto i) { (i % 2 ? odd : even) += row[i] * b[i]; });
  return even + odd;
}

/// Forward half of a solution. b: the right-hand side of the body, then of the joint; b_p: of the parent
/// (null: no parent).
template <int M>
void forward_pair(const double* factor, double* b, double* b_p) {
  double t[6], u[M];
  each<6>([&](auto i) { t[i] = b[i]; });
  solve_lower(factor, t);
  each<6>([&](auto i) { b[i] = factor[7 * i] * t[i]; });
  factor += 36;
  auto joint = Row<M>::read(b + 6);
  each<6>([&](auto r) { joint.subtract(t[r], Row<M>::read(factor + r * M)); });
  factor += 6 * M;
  joint.write(u);
  solve_lower(factor, u);
  each<M>([&](auto m) { b[6 + m] = -factor[(M + 1) * m] * u[m]; });
  if (!b_p) return;
  factor += M * M;
  auto parent = Row<6>::read(b_p);
  each<M>([&](auto m) { parent.subtract(-u[m], Row<6>::read(factor + 6 * m)); });
  parent.write(b_p);
}

/// Backward half: b becomes the solution, given the parent's solution x_p (null: no parent).
template <int M>
void backward_pair(const double* factor, double* b, const double* x_p) {
  double x[6], y[M];
  const double* W = factor + 36;
  const double* L_j = W + 6 * M;
  each<M>([&](auto m) { y[m] = b[6 + m]; });
  if (x_p) {
    double from[6];
    each<6>([&](auto c) { from[c] = x_p[c]; });
    each<M>([&](auto m) { y[m] += dot(L_j + M * M + 6 * m, from); });
  }
  solve_upper(L_j, y);
  each<M>([&](auto m) { b[6 + m] = y[m]; });
  each<6>([&](auto r) { x[r] = b[r] - dot(W + r * M, y); });
  solve_upper(factor, x);
  each<6>([&](auto r) { b[r] = x[r]; });
}

}  // namespace torsor::model_detail
