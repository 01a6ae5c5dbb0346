#include "torsor/integrators/constrained_system.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <cstdio>
#include <limits>

#include "integrators/dense_tangent.hpp"
#include "pivoted_qr.hpp"

namespace torsor {

/// Factors and scratch of the dense defaults.
struct ConstrainedSystem::Dense {
  // G = L L^T, W = L^-1 A^T
  Eigen::MatrixXd metric, w;
  Eigen::LLT<Eigen::MatrixXd> cholesky;
  PivotedQr rows;
  Vec unit, column, unit_row, p, g, d, y;
  Vec force, bias, lambda, zero, phi, psi, xi, q_next;
  Vec q;  ///< configuration of the factors; t is their time
  double t = std::numeric_limits<double>::quiet_NaN();
  std::unique_ptr<DenseTangent> tangent;  ///< made on first use

  void size(int n, int m) {
    for (Vec* v : {&unit, &column, &p, &d, &force, &xi}) v->resize(n);
    for (Vec* v : {&unit_row, &g, &y, &bias, &lambda, &phi, &psi}) v->resize(m);
    zero.setZero(n);
  }
};

namespace {

/// A row is redundant if the part of it that is independent of the other rows is below `redundant` times
/// the row. A redundant row is contradicted if its residual exceeds `contradiction` times the sum of its
/// terms, and also `negligible` (SI units), which is more than rounding can explain.
constexpr double redundant = 1e-9, contradiction = 1e-6, negligible = 1e-8;

constexpr double eps = 2.2e-16;

}  // namespace

ConstrainedSystem::ConstrainedSystem() : dense_(std::make_unique<Dense>()) {}
ConstrainedSystem::~ConstrainedSystem() = default;

StepChoices& ConstrainedSystem::choices() const {
  static StepChoices none;
  return none;
}
const Conditioning& ConstrainedSystem::conditioning() const {
  static const Conditioning unknown;
  return unknown;
}

void ConstrainedSystem::mass_times(double t, VecIn q, VecIn, VecIn w, VecOut out) const {
  metric_times(t, q, w, out);
}

void ConstrainedSystem::imbalance(double t, VecIn q, VecIn v, VecIn a, VecIn lambda, VecOut r) const {
  Dense& d = *dense_;
  d.force.resize(nv()), d.column.resize(nv());
  force(t, q, v, d.force);  // first: the other calls reuse its results at (t, q, v)
  mass_times(t, q, v, a, d.column);
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
  solve_with_mass(Factors::exact, t, q, v, d.force, d.bias, a, lambda);
}

void ConstrainedSystem::solve_with_mass(Factors which, double t, VecIn q, VecIn, VecIn r, VecIn s, VecOut x,
                                        VecOut y) const {
  solve(which, t, q, r, s, x, y);
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
void ConstrainedSystem::solve(Factors, double t, VecIn q, VecIn r, VecIn s, VecOut x, VecOut y) const {
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
  solve_with_mass(Factors::exact, t, q, v, d.zero, d.psi, d.xi, d.lambda);
  v += d.xi;
}

Tangent* ConstrainedSystem::tangent() const {
  if (rows() == 0) return nullptr;
  if (!dense_->tangent) dense_->tangent = std::make_unique<DenseTangent>(*this);
  return dense_->tangent.get();
}

}  // namespace torsor
