#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace torsor::model_detail {

/// Decides which scalar pivots of constraint rows are accepted: the pivots above max(tolerance * uncertainty,
/// added), where `uncertainty` estimates the rounding error of the pivot, divided by eps
/// (BlockFactor::doubt_). A row whose pivot is not accepted is redundant, and `redundant_inverse` replaces
/// its inverse pivot.
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

/// Calls f(0), ..., f(N - 1) with indices known at compile time, since compilers do not unroll nested loops
/// whose length decreases.
template <int N, class F>
void each(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (f(std::integral_constant<int, I>{}), ...); }
  (std::make_integer_sequence<int, N>{});
}

/// Calls use(std::integral_constant<int, rows>) for a number of rows from 1 to 6.
template <class Use>
[[gnu::always_inline]] inline void with_rows(int rows, Use use) {
  switch (rows) {
    case 1:
      return use(std::integral_constant<int, 1>{});
    case 2:
      return use(std::integral_constant<int, 2>{});
    case 3:
      return use(std::integral_constant<int, 3>{});
    case 4:
      return use(std::integral_constant<int, 4>{});
    case 5:
      return use(std::integral_constant<int, 5>{});
    default:
      return use(std::integral_constant<int, 6>{});
  }
}

/// As `factor_pivot`; also replaces the panel by L^-1 panel.
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
  /// Adds, or subtracts, factor * other in the lanes that hold the first `Count` numbers.
  template <int Count, bool Subtract = false>
  void add(double factor, const Row& other) {
    each<(Count + 1) / 2>([&](auto k) {
      if constexpr (Subtract)
        lane[k] -= factor * other.lane[k];
      else
        lane[k] += factor * other.lane[k];
    });
  }
  /// Adds the product of a and b number by number.
  void add_terms(const Row& a, const Row& b) {
    each<lanes>([&](auto k) { lane[k] += a.lane[k] * b.lane[k]; });
  }
  Row times(double factor) const {
    Row out;
    each<lanes>([&](auto k) { out.lane[k] = factor * lane[k]; });
    return out;
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

template <int N>
double dot(const Row<N>& a, const Row<N>& b) {
  Lane sum = a.lane[0] * b.lane[0];
  each<Row<N>::lanes - 1>([&](auto k) { sum += a.lane[k + 1] * b.lane[k + 1]; });
  return sum[0] + sum[1];
}

/// Adds the lower triangle of the sum of Z[r]^T W[r] over the rows r to S.
template <int K, int N>
void add_products(const Row<N> (&Z)[K], const Row<N> (&W)[K], Row<N> (&S)[N]) {
  each<N>([&](auto a) { each<K>([&](auto r) { S[a].template add<a + 1>(Z[r][a], W[r]); }); });
}

/// Stores unit L with D^-1 in place of its diagonal.
template <int K>
void store(const double (&L)[K][K], const double (&d)[K], double* to, int stride) {
  each<K>([&](auto i) {
    each<i>([&](auto j) { to[i * stride + j] = L[i][j]; });
    to[i * stride + i] = d[i];
  });
}

/// W = D^-1 Z, stored in W and in the panel.
template <int K, int N>
void scale(const double (&d)[K], const Row<N> (&Z)[K], Row<N> (&W)[K], double* panel, int stride) {
  each<K>([&](auto i) {
    W[i] = Z[i].times(d[i]);
    W[i].write(panel + i * stride);
  });
}

/// Rows of numbers in memory; `stride` is the distance from the start of one row to the start of the next.
template <class Number>
struct Rows {
  Number* begin;
  int stride;
};

/// Eliminates a body and its joint of M rows. P: the body's pivot; A_c, A_p: the joint's blocks of the body
/// and of the parent (null: no parent); P_p, `to_parent`: the parent's pivot before and after.
template <int M>
[[gnu::flatten]] void factor_pair(PivotRule& given, Rows<const double> P, const double* A_c,
                                  const double* A_p, Rows<const double> P_p, double* factor,
                                  Rows<double> to_parent, int row) {
  PivotRule rule = given;  // so that its numbers stay in registers
  double L[6][6], d[6];
  Row<M> Z[6], W[6];
  each<6>([&](auto i) {
    each<i + 1>([&](auto j) { L[i][j] = P.begin[i * P.stride + j]; });
    Z[i] = Row<M>::read(A_c + i, 6);
  });
  factor_block<6>(L, Z, d, [&](int, double pivot) {
    rule.body(pivot);
    return 1 / pivot;
  });
  store(L, d, factor, 6 + M);
  scale(d, Z, W, factor + 6, 6 + M);

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
  given = rule;
  factor += 6 * (6 + M);
  if (!A_p) return store(S, e, factor, M);
  store(S, e, factor, M + 6);
  scale(e, U, V, factor + M, M + 6);
  Row<6> parent[6];
  each<6>([&](auto i) { parent[i] = Row<6>::read(P_p.begin + i * P_p.stride); });
  add_products<M, 6>(U, V, parent);
  each<6>([&](auto i) { parent[i].write(to_parent.begin + i * to_parent.stride); });
}

/// L D L^T of the pivot P, lower triangle given.
template <int K, class Inverse>
void factor_pivot(double (&P)[K][K], double (&d)[K], Inverse inverse) {
  each<K>([&](auto i) {
    d[i] = inverse(i, P[i][i]);
    double l[K];
    each<K - 1 - i>([&](auto n) { l[i + 1 + n] = P[i + 1 + n][i] * d[i]; });
    each<K - 1 - i>([&](auto n) {
      each<n + 1>([&](auto m) { P[i + 1 + n][i + 1 + m] -= l[i + 1 + n] * P[i + 1 + m][i]; });
    });
    each<K - 1 - i>([&](auto n) { P[i + 1 + n][i] = l[i + 1 + n]; });
  });
}

/// to += Z^T W, or to -= Z^T W, over K rows of Z and W; N columns.
template <int K, int N, bool Subtract>
[[gnu::flatten]] void add_product(int rows, Rows<const double> Z, Rows<const double> W, Rows<double> to) {
  for (int i = 0; i < rows; ++i) {
    auto sum = Row<N>::read(to.begin + i * to.stride);
    each<K>([&](auto r) {
      const double z = Z.begin[r * Z.stride + i];
      sum.template add<N, Subtract>(z, Row<N>::read(W.begin + r * W.stride));
    });
    sum.write(to.begin + i * to.stride);
  }
}
/// The same for the lower triangle of N rows and N columns.
template <int K, int N, bool Subtract>
[[gnu::flatten]] void add_square(Rows<const double> Z, Rows<const double> W, Rows<double> to) {
  each<N>([&](auto i) {
    auto sum = Row<N>::read(to.begin + i * to.stride);
    each<K>([&](auto r) {
      const double z = Z.begin[r * Z.stride + i];
      sum.template add<i + 1, Subtract>(z, Row<N>::read(W.begin + r * W.stride));
    });
    sum.write(to.begin + i * to.stride);
  });
}

/// b <- L^-1 b
template <int K>
void solve_lower(Rows<const double> L, double (&b)[K]) {
  each<K>([&](auto i) {
    each<K - 1 - i>([&](auto n) { b[i + 1 + n] -= L.begin[(i + 1 + n) * L.stride + i] * b[i]; });
  });
}
/// b <- L^-T b
template <int K>
void solve_upper(Rows<const double> L, double (&b)[K]) {
  each<K>([&](auto n) {
    constexpr int i = K - 1 - n;
    each<i>([&](auto j) { b[j] -= L.begin[i * L.stride + j] * b[i]; });
  });
}
/// b . row
template <int N>
double dot(const double* row, const double (&b)[N]) {
  double even = 0, odd = 0;
  each<N>([&](auto i) { (i % 2 ? odd : even) += row[i] * b[i]; });
  return even + odd;
}

/// Forward half of a solution. b, b_joint and b_p: the right-hand sides of the body, the joint and the parent
/// (null: no parent).
template <int M>
[[gnu::flatten]] void forward_pair(const double* factor, double* b, double* b_joint, double* b_p) {
  constexpr int stride = 6 + M;
  double t[6], u[M];
  each<6>([&](auto i) { t[i] = b[i]; });
  solve_lower({factor, stride}, t);
  each<6>([&](auto i) { b[i] = factor[(stride + 1) * i] * t[i]; });
  auto joint = Row<M>::read(b_joint);
  each<6>([&](auto r) { joint.subtract(t[r], Row<M>::read(factor + r * stride + 6)); });
  joint.write(u);
  factor += 6 * stride;
  const int joint_stride = b_p ? M + 6 : M;
  solve_lower({factor, joint_stride}, u);
  each<M>([&](auto m) { b_joint[m] = -factor[(joint_stride + 1) * m] * u[m]; });
  if (!b_p) return;
  auto parent = Row<6>::read(b_p);
  each<M>([&](auto m) { parent.subtract(-u[m], Row<6>::read(factor + m * joint_stride + M)); });
  parent.write(b_p);
}

/// Backward half: b and b_joint become the solution, given the parent's solution x_p (null: no parent).
template <int M>
[[gnu::flatten]] void backward_pair(const double* factor, double* b, double* b_joint, const double* x_p) {
  constexpr int stride = 6 + M;
  double x[6], y[M];
  const double* joint = factor + 6 * stride;
  const int joint_stride = x_p ? M + 6 : M;
  each<M>([&](auto m) { y[m] = b_joint[m]; });
  if (x_p) {
    double from[6];
    each<6>([&](auto c) { from[c] = x_p[c]; });
    each<M>([&](auto m) { y[m] += dot(joint + m * joint_stride + M, from); });
  }
  solve_upper({joint, joint_stride}, y);
  each<M>([&](auto m) { b_joint[m] = y[m]; });
  each<6>([&](auto r) { x[r] = b[r] - dot(factor + r * stride + 6, y); });
  solve_upper({factor, stride}, x);
  each<6>([&](auto r) { b[r] = x[r]; });
}

}  // namespace torsor::model_detail
