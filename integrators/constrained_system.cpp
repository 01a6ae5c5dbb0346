#include "torsor/integrators/constrained_system.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "greatest.hpp"
#include "integrators/dense_tangent.hpp"
#include "integrators/rank_monitor.hpp"
#include "integrators/row_name.hpp"
#include "pivoted_qr.hpp"

namespace torsor {

/// Factors and scratch of the dense defaults, and the monitor of the rank of the rows.
///
/// Off the constraints, redundant rows are independent. So the expected rank is the greatest rank that was
/// found on the constraints at the beginnings and ends of steps, and the monitor reads the pivots of that
/// many rows.
struct ConstrainedSystem::Dense final : StepChoices, Conditioning {
  explicit Dense(const ConstrainedSystem& dense_system) : system(dense_system) {}

  void begin_run() override;
  void choose(double t, VecIn q) override;
  bool still_right(double t_end, VecIn q_end) override {
    return system.rows() == 0 || !rank_rises(t_end, q_end);
  }

  double condition() const override { return monitor.worst_condition(); }
  double last_condition() const override { return monitor.last_condition(); }
  std::string_view worst() const override;
  std::string rank_doubt() const override;
  bool start_was_near() const override { return monitor.start_was_near(); }
  bool began_singular() const override { return monitor.began_singular(); }

  void rows_in_metric(double at, VecIn q_at, Eigen::MatrixXd& out);
  void measure_scale(double at, VecIn q_at);
  void compute(double at, VecIn q_at);
  void observe();
  int expected_rank() const { return system.rows() - monitor.expected(); }
  bool rank_rises(double t, VecIn q);
  bool finds_rank(double t, VecIn q);

  const ConstrainedSystem& system;
  // G = L L^T, W = L^-1 A^T
  Eigen::MatrixXd metric, w;
  Eigen::LLT<Eigen::MatrixXd> cholesky;
  PivotedQr rows;
  Vec unit, column, unit_row, p, g, d, y;
  Vec force, bias, lambda, zero, phi, psi, xi, q_next;
  Vec q;  ///< configuration of the factors; t is their time
  double t = std::numeric_limits<double>::quiet_NaN();
  std::unique_ptr<DenseTangent> tangent;  ///< made on first use

  RankMonitor monitor;
  bool watching = true;   ///< the monitor observes factors; false while the expected rank is sought
  bool observed = false;  ///< it has observed the present factors in this step
  std::vector<double> growth;
  mutable std::string worst_name;
  bool steep = false;  ///< accelerations are those of the nearest states that satisfy the constraints
  Vec scale;           ///< change of each row over 1 m or 1 rad
  Vec measured;        ///< norm of each row where `scale` was measured
  Eigen::MatrixXd moved;
  Vec q_on, v_on;  ///< a state on the constraints

  void size(int n, int m) {
    for (Vec* v : {&unit, &column, &p, &d, &force, &xi}) v->resize(n);
    for (Vec* v : {&unit_row, &g, &y, &bias, &lambda, &phi, &psi}) v->resize(m);
    zero.setZero(n);
    if (scale.size() != m) scale.setZero(m), measured.setZero(m);
  }
};

namespace {

/// A redundant row is contradicted if its residual exceeds `contradiction` times the sum of its terms, and
/// also `negligible` (SI units), which is more than rounding can explain.
constexpr double contradiction = 1e-6, negligible = 1e-8;

/// Thrown by `solve`. A projection distinguishes it from the error for a mass matrix that is not positive
/// definite.
struct Contradiction : EvaluationError {
  explicit Contradiction(const std::string& message) : EvaluationError(StepStatus::singular, message) {}
};

constexpr double eps = 2.2e-16;

/// A row is dependent if the part of it that is independent of the other rows is below this fraction of its
/// size.
const double independent_part = std::sqrt(RankMonitor::dependent_below);

/// The greatest |q_j| among the coordinates that differ in q and q_next; -1 if none differs.
double greatest_changed(VecIn q, VecIn q_next) {
  double greatest = -1;
  for (Eigen::Index j = 0; j < q.size(); ++j)
    if (q_next[j] != q[j]) greatest = std::max(greatest, std::abs(q[j]));
  return greatest;
}

}  // namespace

ConstrainedSystem::ConstrainedSystem() : dense_(std::make_unique<Dense>(*this)) {}
ConstrainedSystem::~ConstrainedSystem() = default;

StepChoices& ConstrainedSystem::choices() const { return *dense_; }
const Conditioning& ConstrainedSystem::conditioning() const { return *dense_; }

void ConstrainedSystem::Dense::begin_run() {
  monitor.begin_run();
  steep = false;
  scale.resize(0);
  t = std::numeric_limits<double>::quiet_NaN();
}

std::string_view ConstrainedSystem::Dense::worst() const {
  const int row = monitor.worst_row();
  worst_name = row < 0 ? std::string() : row_name(system, row);
  return worst_name;
}

std::string ConstrainedSystem::Dense::rank_doubt() const {
  return monitor.in_doubt() ? monitor.doubt(quoted_row_name(system, monitor.doubtful_row())) : std::string();
}

/// L^-1 A^T at (t, q) with the last L.
void ConstrainedSystem::Dense::rows_in_metric(double at, VecIn q_at, Eigen::MatrixXd& out) {
  out.resize(system.nv(), system.rows());
  for (int j = 0; j < int(out.cols()); ++j) {
    unit_row.setUnit(j);
    system.reaction(at, q_at, unit_row, column);
    cholesky.matrixL().solveInPlace(column);
    out.col(j) = column;
  }
}

/// Measures the change of the rows near (t, q) by differences. All terms of a row may cancel in a singular
/// configuration; the change then shows how large they are.
void ConstrainedSystem::Dense::measure_scale(double at, VecIn q_at) {
  constexpr double far = 1e-6;
  Vec squares = Vec::Zero(w.cols());
  q_next.resize(q_at.size());
  for (int k = 0; k < system.nv(); ++k) {
    xi.setZero();
    xi[k] = far;
    system.retract(q_at, xi, q_next);
    rows_in_metric(at, q_next, moved);
    squares += ((moved - w) / far).colwise().squaredNorm();
  }
  for (int j = 0; j < int(w.cols()); ++j) {
    measured[j] = w.col(j).norm();
    if (const double change = std::sqrt(squares[j]); change > scale[j]) scale[j] = change;
  }
  t = std::numeric_limits<double>::quiet_NaN();  // the factors do not have this scale
}

/// Lets the monitor judge the present factors, once in each step. Throws EvaluationError (singular) if the
/// rows have lost rank. Before the first step, the expected rank is not known.
void ConstrainedSystem::Dense::observe() {
  if (!watching || observed || !monitor.knows_rank()) return;
  const int rank = std::min(rows.rank(), expected_rank()), m = system.rows();
  growth.assign(static_cast<std::size_t>(m), 0);
  Pivots pivots;
  for (int i = 0; i < rank; ++i) {
    const double one = growth[static_cast<std::size_t>(rows.column(i))] = rows.growth(i);
    if (!(one <= pivots.greatest)) pivots.greatest = one, pivots.greatest_row = rows.column(i);
  }
  pivots.growth = growth;
  pivots.dependent = m - rank;
  if (rank < m) pivots.dependent_row = rows.column(rank);
  observed = monitor.observe(pivots);
  if (observed) return;
  char time[32];
  std::snprintf(time, sizeof time, "%.6g", t);
  throw EvaluationError(StepStatus::singular,
                        monitor.loss(quoted_row_name(system, monitor.doubtful_row()), time));
}

/// Whether the rank on the constraints near (t, q) is above the expected rank. If so, it is the expected rank
/// from then on.
bool ConstrainedSystem::Dense::rank_rises(double at, VecIn q_at) {
  watching = false;
  try {
    const bool rises = finds_rank(at, q_at);
    watching = true;
    return rises;
  } catch (...) {
    watching = true;
    throw;
  }
}

/// Leaves the factors of the nearest state on the constraints if its rank decides, otherwise those of (t, q).
bool ConstrainedSystem::Dense::finds_rank(double at, VecIn q_at) {
  const auto more = [this] { return !monitor.knows_rank() || rows.rank() > expected_rank(); };
  system.factor(at, q_at);
  if (!more()) return false;
  q_on = q_at;
  try {
    system.project_position(at, q_on);
    system.factor(at, q_on);
  } catch (const EvaluationError& error) {
    if (error.status != StepStatus::constraint_lost && error.status != StepStatus::singular) throw;
    system.factor(at, q_at);  // the projection has left the factors of its last iterate
    if (monitor.knows_rank()) return false;
  }
  if (!more()) return false;
  monitor.expect(system.rows() - rows.rank());
  return true;
}

void ConstrainedSystem::Dense::choose(double t_begin, VecIn q_begin) {
  if (system.rows() == 0) return;
  monitor.begin_step();
  compute(t_begin, q_begin);
  bool smaller = !monitor.knows_rank();
  for (int j = 0; j < int(w.cols()); ++j) smaller |= w.col(j).norm() < measured[j] / 2;
  if (smaller) measure_scale(t_begin, q_begin);
  rank_rises(t_begin, q_begin);
  observed = false;
  observe();
  steep = monitor.steep();
}

/// Off the constraints by a distance d, pivots of the order of d are wrong, and so are the accelerations from
/// them.
void ConstrainedSystem::to_constraints_if_steep(double t, VecOut q, VecOut v) const {
  if (!dense_->steep) return;
  project_position(t, q);
  project_velocity(t, q, v);
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
  d.q_on = q, d.v_on = v;
  to_constraints_if_steep(t, d.q_on, d.v_on);
  force(t, d.q_on, d.v_on, d.force);
  constraint_bias(t, d.q_on, d.v_on, d.bias);
  d.bias = -d.bias;
  solve_with_mass(Factors::exact, t, d.q_on, d.v_on, d.force, d.bias, a, lambda);
}

void ConstrainedSystem::solve_with_mass(Factors which, double t, VecIn q, VecIn, VecIn r, VecIn s, VecOut x,
                                        VecOut y) const {
  solve(which, t, q, r, s, x, y);
}

void ConstrainedSystem::factor(double t, VecIn q) const {
  dense_->compute(t, q);
  dense_->observe();
}

/// Computes G = L L^T and W = L^-1 A^T, and keeps them until (t, q) changes.
void ConstrainedSystem::Dense::compute(double at, VecIn q_at) {
  const int n = system.nv(), m = system.rows();
  size(n, m);
  if (t == at && w.cols() == m && q.size() == q_at.size() && q == q_at) return;
  t = std::numeric_limits<double>::quiet_NaN();
  metric.resize(n, n);
  for (int j = 0; j < n; ++j) {
    unit.setUnit(n, j);
    system.metric_times(at, q_at, unit, column);
    metric.col(j) = column;
  }
  cholesky.compute(metric);
  if (cholesky.info() != Eigen::Success)
    throw EvaluationError(StepStatus::singular, "the mass matrix is not positive definite");
  rows_in_metric(at, q_at, w);
  rows.compute(w, independent_part, scale);
  t = at, q = q_at;
  observed = false;
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
    if (!std::isfinite(missed))  // no finite x satisfies the row
      d.d.setConstant(std::numeric_limits<double>::quiet_NaN());
    const double terms = std::abs(s[j]) + d.w.col(j).norm() * (d.p.norm() + d.d.norm());
    if (missed > contradiction * terms && missed > negligible) {
      char by[60];
      std::snprintf(by, sizeof by, " contradicts the others by %.1e", missed);
      throw Contradiction("constraint " + quoted_row_name(*this, j) + by);
    }
  }
  d.rows.solve(d.d, d.y);
  d.p += d.d;
  d.cholesky.matrixU().solveInPlace(d.p);
  x = d.p;
  y = d.y;
}

/// The first correction may be of any size. After a long one (m or rad) the residual must have fallen to a
/// quarter, as for linear rows and for circles that are approached from outside. A correction that changes no
/// coordinate is rounding, and so is one below `rounding` times the greatest coordinate that it changes if
/// neither corrections nor residuals shrink any more.
bool ConstrainedSystem::project_position(double t, VecOut q) const {
  constexpr int max_iterations = 20;
  constexpr double long_correction = 2, rounding = 1e-13;
  Dense& d = *dense_;
  d.size(nv(), rows());
  d.q_next.resize(nq());
  bool moved = false;
  double last = 1, far = std::numeric_limits<double>::infinity();
  std::string cause;
  for (int i = 0; i < max_iterations; ++i) {
    position_residual(t, q, d.phi);
    const double missed = linear::greatest(d.phi);
    const bool falls = missed < far, falls_far = missed <= far / 4;
    far = missed;
    if (i == 1 && last > long_correction && !falls_far) break;
    d.phi = -d.phi;
    try {
      solve(t, q, d.zero, d.phi, d.xi, d.lambda);
    } catch (const Contradiction& error) {
      cause = std::string(": ") + error.what();
      break;
    }
    const double change = linear::greatest(d.xi);
    if (change <= 32 * eps) return moved;
    if (!std::isfinite(change)) break;
    retract(q, d.xi, d.q_next);
    const double size = greatest_changed(q, d.q_next);
    if (size < 0 || (i > 0 && !falls && change > last / 2 && change < rounding * size)) return moved;
    if (i > 0 && !(change <= 2 * last)) break;
    q = d.q_next;
    moved = true;
    if (change < 1e-8 || (change < 1e-6 && change * change < eps * last))
      return moved;  // the next change would be rounding
    last = change;
  }
  char text[80];
  std::snprintf(text, sizeof text, "the constraints are violated by %.1e, and projection does not converge",
                far);
  throw EvaluationError(StepStatus::constraint_lost, text + cause);
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
