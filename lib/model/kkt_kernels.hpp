#pragma once

#include <algorithm>
#include <utility>

namespace torsor::model_detail {

/// Which scalar pivots of constraints are taken: those above max(tolerance * doubt, added), doubt the size of
/// what the pivot is the sum of. Others count as `otherwise`, the inverse pivot by row.
struct PivotRule {
  double tolerance;
  const double* added;      // to the pivots, by row
  const double* otherwise;  // inverse of a pivot that is not taken, by row
  char* refused;            // by row
  double least_body = 1;    // least of 0 and the pivots of bodies
  double growth = 1;        // greatest size / pivot
  int growth_row = -1;

  void body(double pivot) {
    if (!(pivot >= least_body)) least_body = pivot;
  }
  double inverse(double pivot, double row_size, double doubt, int row) {
    const bool taken = !(pivot <= std::max(tolerance * doubt, added[row]));
    refused[row] = !taken;
    if (!taken) return otherwise[row];
    const double inverse = 1 / pivot;
    if (!(row_size * inverse <= growth)) {
      growth = row_size * inverse;
      growth_row = row;
    }
    return inverse;
  }
};

/// Exchanges rows and columns i < j of a symmetric matrix given by its lower triangle, and rows of the panel.
inline void exchange(int k, int width, double* P, double* panel, int i, int j) {
  std::swap(P[i * k + i], P[j * k + j]);
  for (int m = 0; m < i; ++m) std::swap(P[i * k + m], P[j * k + m]);
  for (int m = i + 1; m < j; ++m) std::swap(P[m * k + i], P[j * k + m]);
  for (int m = j + 1; m < k; ++m) std::swap(P[m * k + i], P[m * k + j]);
  for (int c = 0; c < width; ++c) std::swap(panel[i * width + c], panel[j * width + c]);
}

/// L D L^T of a pivot, k x k with its lower triangle given, and Z = L^-1 panel, panel k x width. Leaves unit
/// L below the diagonal and D^-1 on it; inverse(i, pivot) says what D^-1 is, and next(i) which row i to k - 1
/// is exchanged with row i before.
template <class Next, class Inverse>
void factor_pivot(int k, int width, double* P, double* panel, Next next, Inverse inverse) {
  for (int i = 0; i < k; ++i) {
    if (const int j = next(i); j != i) exchange(k, width, P, panel, i, j);
    const double d = inverse(i, P[i * k + i]);
    for (int j = i + 1; j < k; ++j) {
      const double l = P[j * k + i] * d;
      for (int m = i + 1; m <= j; ++m) P[j * k + m] -= l * P[m * k + i];
      for (int c = 0; c < width; ++c) panel[j * width + c] -= l * panel[i * width + c];
    }
    for (int j = i + 1; j < k; ++j) P[j * k + i] *= d;
    P[i * k + i] = d;
  }
}

/// The same with sizes known to the compiler.
template <int K, int Width, class Inverse>
void factor_block(double (&P)[K][K], double (&panel)[K][Width], double (&d)[K], Inverse inverse) {
  for (int i = 0; i < K; ++i) {
    d[i] = inverse(i, P[i][i]);
    double l[K];
    for (int j = i + 1; j < K; ++j) l[j] = P[j][i] * d[i];
    for (int j = i + 1; j < K; ++j) {
      for (int m = i + 1; m <= j; ++m) P[j][m] -= l[j] * P[m][i];
      for (int c = 0; c < Width; ++c) panel[j][c] -= l[j] * panel[i][c];
    }
    for (int j = i + 1; j < K; ++j) P[j][i] = l[j];
  }
}

template <int K, int Width, int Used>
void store(const double (&L)[K][K], const double (&d)[K], const double (&W)[K][Width], double* to) {
  for (int i = 0; i < K; ++i) {
    for (int j = 0; j < i; ++j) to[i * K + j] = L[i][j];
    to[i * K + i] = d[i];
  }
  to += K * K;
  for (int i = 0; i < K; ++i)
    for (int c = 0; c < Used; ++c) to[i * Used + c] = W[i][c];
}

/// A body and its joint of M rows: P the body's pivot, A_c and A_p the joint's blocks on it and on the parent
/// (null: none), P_p the parent's pivot before and `to_parent` after.
template <int M>
void factor_pair(PivotRule& rule, const double* P, const double* A_c, const double* A_p, const double* P_p,
                 double* factor, double* to_parent, int row) {
  constexpr int even = M + M % 2;  // whole vectors of two
  double L[6][6], Z[6][even], W[6][even], d[6];
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) L[i][j] = P[6 * i + j];
    for (int m = 0; m < even; ++m) Z[i][m] = m < M ? A_c[6 * m + i] : 0;
  }
  factor_block<6, even>(L, Z, d, [&](int, double pivot) {
    rule.body(pivot);
    return 1 / pivot;
  });
  for (int i = 0; i < 6; ++i)
    for (int m = 0; m < even; ++m) W[i][m] = d[i] * Z[i][m];
  store<6, even, M>(L, d, W, factor);
  factor += 36 + 6 * M;

  double S[M][M] = {}, U[M][6], V[M][6], e[M], size[M];
  for (int r = 0; r < 6; ++r)
    for (int a = 0; a < M; ++a)
      for (int b = 0; b <= a; ++b) S[a][b] += Z[r][a] * W[r][b];
  for (int a = 0; a < M; ++a) {
    size[a] = S[a][a];
    S[a][a] += rule.added[row + a];
    for (int c = 0; c < 6; ++c) U[a][c] = A_p ? A_p[6 * a + c] : 0;
  }
  factor_block<M, 6>(S, U, e,
                     [&](int a, double pivot) { return rule.inverse(pivot, size[a], size[a], row + a); });
  if (!A_p) return store<M, 6, 0>(S, e, U, factor);
  for (int a = 0; a < M; ++a)
    for (int c = 0; c < 6; ++c) V[a][c] = e[a] * U[a][c];
  store<M, 6, 6>(S, e, V, factor);
  double sum[6][6];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) sum[i][j] = P_p[6 * i + j];
  for (int a = 0; a < M; ++a)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j) sum[i][j] += U[a][i] * V[a][j];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) to_parent[6 * i + j] = sum[i][j];
}

/// b <- L^-1 b, and D^-1 of it times `sign` into b; t keeps L^-1 b.
inline void solve_lower(int k, const double* L, int sign, double* b, double* t) {
  for (int i = 0; i < k; ++i) {
    double sum = b[i];
    for (int j = 0; j < i; ++j) sum -= L[i * k + j] * t[j];
    t[i] = sum;
    b[i] = sign * L[i * k + i] * sum;
  }
}
inline void solve_upper(int k, const double* L, double* b) {
  for (int i = k - 1; i >= 0; --i)
    for (int j = 0; j < i; ++j) b[j] -= L[i * k + j] * b[i];
}

template <int M>
void forward_pair(const double* factor, bool parent, double* b, double* b_p) {
  double t[6], u[M];
  solve_lower(6, factor, 1, b, t);
  const double* W = factor + 36;
  double* b_j = b + 6;
  for (int r = 0; r < 6; ++r)
    for (int m = 0; m < M; ++m) b_j[m] -= W[r * M + m] * t[r];
  const double* L_j = W + 6 * M;
  solve_lower(M, L_j, -1, b_j, u);
  if (!parent) return;
  const double* V = L_j + M * M;
  for (int m = 0; m < M; ++m)
    for (int c = 0; c < 6; ++c) b_p[c] += V[6 * m + c] * u[m];
}

template <int M>
void backward_pair(const double* factor, bool parent, double* b, const double* x_p) {
  const double* W = factor + 36;
  const double* L_j = W + 6 * M;
  const double* V = L_j + M * M;
  double* x_j = b + 6;
  if (parent)
    for (int m = 0; m < M; ++m)
      for (int c = 0; c < 6; ++c) x_j[m] += V[6 * m + c] * x_p[c];
  solve_upper(M, L_j, x_j);
  for (int r = 0; r < 6; ++r)
    for (int m = 0; m < M; ++m) b[r] -= W[r * M + m] * x_j[m];
  solve_upper(6, factor, b);
}

}  // namespace torsor::model_detail
