#include "torsor/integrators/constrained_system.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <limits>

#include "pivoted_qr.hpp"

namespace torsor {

/// Factors and scratch of the dense defaults.
struct ConstrainedSystem::Dense {
  // G = L L^T, W = L^-1 A^T
  Eigen::MatrixXd metric, w, kkt;
  Eigen::LLT<Eigen::MatrixXd> cholesky;
  PivotedQr rows, newton;
  Vec unit, column, unit_row, p, g, d, y;
  Vec force, bias, lambda, zero, phi, xi, q_next, target, left;
  Vec newton_metric, r, r_next, psi, psi_next, v_next, scale, rhs, solution;
  Vec q;  ///< configuration of the factors; t is their time
  double c_row = 1, t = std::numeric_limits<double>::quiet_NaN();

  void size(int n, int m) {
    for (Vec* v : {&unit, &column, &p, &d, &force, &xi, &r, &r_next, &v_next}) v->resize(n);
    for (Vec* v : {&unit_row, &g, &y, &bias, &lambda, &phi, &psi, &psi_next, &target, &left}) v->resize(m);
    zero.setZero(n);
  }

  void factor_scaled(int n, int m);
};

namespace {

/// A row is redundant if the part of it that is independent of the other rows is below `redundant` times
/// the row. A redundant row is contradicted if its residual exceeds `contradiction` times the sum of its
/// terms, and also `negligible` (SI units), which is more than rounding can explain.
constexpr double redundant = 1e-9, contradiction = 1e-6, negligible = 1e-8;

constexpr double eps = 2.2e-16;

/// A column of the scaled matrix is redundant if the part of it that is independent of the other columns is
/// below this fraction of the column.
constexpr double redundant_column = 1e-11;
/// Step of the forward differences: the square root of the rounding unit.
constexpr double probe = 1.5e-8;

}  // namespace

ConstrainedSystem::ConstrainedSystem() : dense_(std::make_unique<Dense>()) {}
ConstrainedSystem::~ConstrainedSystem() = default;

void ConstrainedSystem::imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const {
  Dense& d = *dense_;
  d.force.resize(nv()), d.column.resize(nv());
  force(t, q, v, d.force);  // first: the other calls reuse its results at (t, q, v)
  metric_times(t, q, a, d.column);
  d.column -= d.force;
  reaction(t, q, lambda, d.force);
  r = d.column - d.force;
}

void ConstrainedSystem::acceleration(double t, VecIn q, VecIn v, VecOut a) const {
  dense_->lambda.resize(rows());
  acceleration(t, q, v, a, dense_->lambda);
}

void ConstrainedSystem::acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const {
  Dense& d = *dense_;
  d.force.resize(nv());
  d.bias.resize(rows());
  force(t, q, v, d.force);
  constraint_bias(t, q, v, d.bias);
  d.bias = -d.bias;
  solve(t, q, d.force, d.bias, a, lambda);
}

/// Computes G = L L^T and W = L^-1 A^T, and keeps them until (t, q) changes.
void ConstrainedSystem::factor(double t, VecIn q) const {
  const int n = nv(), m = rows();
  Dense& d = *dense_;
  d.size(n, m);
  if (d.t == t && d.w.cols() == m && d.q.size() == q.size() && d.q == q) return;
  d.t = std::numeric_limits<double>::quiet_NaN();
  d.metric.resize(n, n);
  for (int j = 0; j < n; ++j) {
    d.unit.setUnit(n, j);
    metric_times(t, q, d.unit, d.column);
    d.metric.col(j) = d.column;
  }
  d.cholesky.compute(d.metric);
  if (d.cholesky.info() != Eigen::Success)
    throw EvaluationError(StepStatus::singular, "the mass matrix is not positive definite");
  d.w.resize(n, m);
  for (int j = 0; j < m; ++j) {
    d.unit_row.setUnit(m, j);
    reaction(t, q, d.unit_row, d.column);
    d.cholesky.matrixL().solveInPlace(d.column);
    d.w.col(j) = d.column;
  }
  d.rows.compute(d.w, redundant);
  d.t = t;
  d.q = q;
}

/// With z = L^T x, p = L^-1 r:  z = p + W y,  W^T z = s.
void ConstrainedSystem::solve(double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const {
  const int m = rows();
  factor(t, q);
  Dense& d = *dense_;
  d.p = r;
  d.cholesky.matrixL().solveInPlace(d.p);
  for (int j = 0; j < m; ++j) d.g[j] = s[j] - d.w.col(j).dot(d.p);
  d.rows.solve_transposed(d.g, d.d);
  for (int i = d.rows.rank(); i < m; ++i) {
    const int j = d.rows.column(i);
    const double missed = std::abs(d.w.col(j).dot(d.d) - d.g[j]);
    const double terms = std::abs(s[j]) + d.w.col(j).norm() * (d.p.norm() + d.d.norm());
    if (missed > contradiction * terms && missed > negligible) {
      char text[80];
      std::snprintf(text, sizeof text, "constraint row %d contradicts the others by %.1e", j, missed);
      throw EvaluationError(StepStatus::singular, text);
    }
  }
  d.rows.solve(d.d, d.y);
  d.p += d.d;
  d.cholesky.matrixU().solveInPlace(d.p);
  x = d.p;
  y = d.y;
}

/// Each pass multiplies the error by the relative difference of the rows between the two points.
void ConstrainedSystem::solve_between(double t, VecIn q, double t_rows, VecIn q_rows, VecIn r, VecIn s,
                                      VecOut x, VecOut y) const {
  constexpr int max_passes = 50;
  Dense& d = *dense_;
  d.size(nv(), rows());
  d.target = s;
  solve(t, q, r, s, x, y);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_passes; ++i) {
    constraint_times(t_rows, q_rows, x, d.left);
    d.left = d.target - d.left;
    solve(t, q, d.zero, d.left, d.xi, d.left);
    x += d.xi;
    y += d.left;
    const double change = d.xi.lpNorm<Eigen::Infinity>() / (1 + x.lpNorm<Eigen::Infinity>());
    if (change < 1e-15 || (change < 1e-12 && change > 0.5 * last)) return;
    if (!(change < 2 * last)) break;
    last = change;
  }
  constexpr double nearly_dependent = 10;
  if (conditioning() < nearly_dependent) {
    const std::string doubt = rank_doubt();
    if (doubt.empty())
      throw EvaluationError(StepStatus::newton_failed, "the constraints change too much within the step");
    throw EvaluationError(StepStatus::singular, doubt);
  }
  char text[120];
  std::snprintf(text, sizeof text, "\" at t = %.6g: condition %.1e", t, conditioning());
  throw EvaluationError(StepStatus::singular,
                        "the constraints nearly lose rank in \"" + worst_conditioned() + text);
}

bool ConstrainedSystem::project_position(double t, VecOut q) const {
  constexpr int max_iterations = 20;
  Dense& d = *dense_;
  d.size(nv(), rows());
  d.q_next.resize(nq());
  bool moved = false;
  double last = 1, far = 0;
  for (int i = 0; i < max_iterations; ++i) {
    position_residual(t, q, d.phi);
    far = d.phi.size() ? d.phi.lpNorm<Eigen::Infinity>() : 0;
    d.phi = -d.phi;
    solve(t, q, d.zero, d.phi, d.xi, d.lambda);
    const double change = d.xi.size() ? d.xi.lpNorm<Eigen::Infinity>() : 0;
    if (change <= 32 * eps) return moved;
    if (!(change <= 2 * last)) break;
    retract(q, d.xi, d.q_next);
    q = d.q_next;
    moved = true;
    if (change < 1e-8 || (change < 1e-6 && change * change < eps * last))
      return moved;  // the next change would be rounding
    last = change;
  }
  char text[80];
  std::snprintf(text, sizeof text, "the constraints are violated by %.1e, and projection does not converge",
                far);
  throw EvaluationError(StepStatus::constraint_lost, text);
}

void ConstrainedSystem::project_velocity(double t, VecIn q, VecOut v) const {
  Dense& d = *dense_;
  d.size(nv(), rows());
  velocity_residual(t, q, v, d.psi);
  d.psi = -d.psi;
  solve(t, q, d.zero, d.psi, d.xi, d.lambda);
  v += d.xi;
}

// ---- the tangent

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
