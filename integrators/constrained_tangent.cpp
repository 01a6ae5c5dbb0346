#include <algorithm>
#include <cassert>
#include <cmath>

#include "constrained_dense.hpp"

namespace torsor {
namespace {

/// A column of the scaled matrix is redundant if the part of it that is independent of the other columns is
/// below this fraction of the column.
constexpr double redundant_column = 1e-11;
/// Step of the forward differences: the square root of the rounding unit.
constexpr double probe = 1.5e-8;

}  // namespace

/// Scales the matrix and factors it. The diagonal of the metric becomes 1. All constraint rows get the same
/// factor, so the least-norm solution stays the same.
void ConstrainedSystem::Dense::factor_scaled(int n, int m) {
  scale.resize(n + m);
  for (int i = 0; i < n; ++i) {
    const double g_ii = newton_metric[i];
    scale[i] = g_ii > 0 ? 1 / std::sqrt(g_ii) : 1;
  }
  double greatest = 0;
  for (int j = 0; j < m; ++j)
    greatest = std::max(greatest, kkt.col(n + j).head(n).cwiseProduct(scale.head(n)).norm());
  scale.tail(m).setConstant(greatest > 0 ? 1 / greatest : 1);
  for (int j = 0; j < n + m; ++j) kkt.col(j) = scale[j] * kkt.col(j).cwiseProduct(scale);
  newton.compute(kkt, redundant_column);
}

/// Column j of the matrix: the derivatives of the dynamics and of the constraint rows by a_j. The rows are
/// divided by c_v or c_q, so their scale does not depend on the step size. Expects in d the residuals r and
/// psi and the force p at the linearisation point.
void ConstrainedSystem::tangent_column(const Linearisation& at, int j) const {
  const int n = nv(), m = rows();
  const Vec &q = at.x.q, &v = at.x.v;
  Dense& d = *dense_;
  d.unit.setUnit(n, j);
  metric_times(at.t, q, d.unit, d.column);
  d.kkt.col(j).head(n) = d.column;
  d.newton_metric[j] = d.column[j];

  d.v_next[j] += probe * (1 + std::abs(v[j]));
  force(at.t, q, d.v_next, d.force);
  d.kkt.col(j).head(n) -= at.c_v / (d.v_next[j] - v[j]) * (d.force - d.p);
  d.v_next[j] = v[j];

  dexp(at.xi, d.unit, d.xi);
  d.column = probe * d.xi;
  retract(q, d.column, d.q_next);
  imbalance(at.t, d.q_next, v, at.a, at.lambda, d.r_next);
  d.kkt.col(j).head(n) += at.c_q / probe * (d.r_next - d.r);

  velocity_residual(at.t, d.q_next, v, d.psi_next);
  d.psi_next -= d.psi;
  d.psi_next *= at.c_q / at.c_v / probe;
  constraint_times(at.t, q, d.unit, d.g);
  d.kkt.col(j).tail(m) = d.g + d.psi_next;
  if (at.level != Level::position) return;
  constraint_times(at.t, q, d.xi, d.g);
  for (int i = 0; i < m; ++i)
    if (holonomic()[std::size_t(i)]) d.kkt(n + i, j) = d.g[i];
}

void ConstrainedSystem::factor_newton(const Linearisation& at) const {
  assert(at.c_v != 0 && at.c_q != 0);
  const int n = nv(), m = rows();
  Dense& d = *dense_;
  d.size(n, m);
  d.q_next.resize(nq());
  d.newton_metric.resize(n);
  d.kkt.setZero(n + m, n + m);
  imbalance(at.t, at.x.q, at.x.v, at.a, at.lambda, d.r);
  velocity_residual(at.t, at.x.q, at.x.v, d.psi);
  force(at.t, at.x.q, at.x.v, d.p);
  d.v_next = at.x.v;
  for (int j = 0; j < n; ++j) tangent_column(at, j);
  for (int j = 0; j < m; ++j) {
    d.unit_row.setUnit(m, j);
    reaction(at.t, at.x.q, d.unit_row, d.column);
    d.kkt.col(n + j).head(n) = -d.column;
  }
  d.c_row = at.level == Level::position ? at.c_q : at.c_v;
  d.factor_scaled(n, m);
}

void ConstrainedSystem::solve_newton(VecIn r, VecIn s, VecOut da, VecOut dl) const {
  const int n = nv(), m = rows();
  Dense& d = *dense_;
  d.rhs.resize(n + m);
  d.rhs.head(n) = r.cwiseProduct(d.scale.head(n));
  d.rhs.tail(m) = s.cwiseProduct(d.scale.tail(m)) / d.c_row;
  d.newton.solve(d.rhs, d.solution);
  da = d.solution.head(n).cwiseProduct(d.scale.head(n));
  dl = d.solution.tail(m).cwiseProduct(d.scale.tail(m));
}

}  // namespace torsor
