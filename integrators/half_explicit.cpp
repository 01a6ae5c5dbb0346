#include "integrators/half_explicit.hpp"

#include <array>

#include "constrained.hpp"
#include "guard.hpp"
#include "torsor/integrators/detail/newton.hpp"

namespace torsor {
namespace {

/// Index of the first entry of row i of a triangle stored row by row, without and with its diagonal.
constexpr std::size_t below(int i) { return std::size_t(i * (i - 1) / 2); }
constexpr std::size_t with_diagonal(int i) { return std::size_t(i * (i + 1) / 2); }

constexpr double r6 = 2.4494897427831780981972840747059;

constexpr std::array<double, 10> hem4_a{
    0.3,
    (1 + r6) / 30,
    (11 - 4 * r6) / 30,
    (-79 - 31 * r6) / 150,
    (-1 - 4 * r6) / 30,
    (24 + 11 * r6) / 25,
    (14 + 5 * r6) / 6,
    (-8 + 7 * r6) / 6,
    (-9 - 7 * r6) / 4,
    (9 - r6) / 4,
};
constexpr std::array<double, 5> hem4_c{0, 0.3, (4 - r6) / 10, (4 + r6) / 10, 1};
constexpr std::array<double, 5> hem4_b{0, 0, (16 - r6) / 36, (16 + r6) / 36, 1. / 9};

/// a~ of hemk4: row i of a~ is row i + 1 of a, and the last row of a~ is b. Each stage satisfies the
/// constraints at the point of the next stage, and the last stage at the end of the step.
constexpr auto hem4_rows = [] {
  std::array<double, 15> rows{};
  for (std::size_t i = 0; i < 10; ++i) rows[i] = hem4_a[i];
  for (std::size_t i = 0; i < 5; ++i) rows[10 + i] = hem4_b[i];
  return rows;
}();
constexpr std::array<double, 5> hem4_c_rows{0.3, (4 - r6) / 10, (4 + r6) / 10, 1, 1};

// clang-format off
constexpr std::array<double, 15> dopri5_a{
    1. / 5,
    3. / 40, 9. / 40,
    44. / 45, -56. / 15, 32. / 9,
    19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729,
    9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656,
};
constexpr std::array<double, 6> dopri5_c{0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1};
constexpr std::array<double, 21> murua_rows{
    0,
    3. / 40, 9. / 40,
    21. / 256, 45. / 256, 15. / 128,
    19235. / 98784, -225. / 392, 6235. / 6174, 2755. / 32928,
    -293. / 1152, 85. / 48, -2275. / 1908, 35. / 32, -2835. / 6784,
    35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84,
};
constexpr std::array<double, 6> murua_c_rows{0, 3. / 10, 3. / 8, 5. / 7, 1, 1};
constexpr std::array<double, 7> dopri5_error{
    35. / 384 - 5179. / 57600, 0, 500. / 1113 - 7571. / 16695, 125. / 192 - 393. / 640,
    -2187. / 6784 + 92097. / 339200, 11. / 84 - 187. / 2100, -1. / 40,
};
// clang-format on

}  // namespace

const HalfExplicitTable hemk4_table{5, 4, 0, hem4_a, hem4_c, hem4_rows, hem4_c_rows, {}};
const HalfExplicitTable hemk5_table{6, 5, 4, dopri5_a, dopri5_c, murua_rows, murua_c_rows, dopri5_error};

HalfExplicit::HalfExplicit(const HalfExplicitTable& table) : table_(table) {}

StepStatus HalfExplicit::do_step(const System& system, State& x, double t, double h, Vec* error) {
  return guarded(message_, part_, h, [&] { return step(system, x, t, h, error); });
}

void HalfExplicit::resize(const System& system) {
  k_.resize(std::size_t(table_.stages + 1));
  v_dot_.resize(k_.size());
  for (auto* slopes : {&k_, &v_dot_})
    for (Vec& slope : *slopes) slope.resize(system.nv());
  for (Vec* v : {&xi_, &v_, &force_, &x_, &next_.v}) v->resize(system.nv());
  q_.resize(system.nq());
  next_.q.resize(system.nq());
}

/// Computes k and V' of stage i. next_ serves as (Q_i, V_i).
void HalfExplicit::stage(const System& system, const State& x, double t, double h, int i) {
  const auto at = std::size_t(i);
  const double t_i = t + table_.c[at] * h;
  xi_.setZero();
  next_.v = x.v;
  for (int j = 0; j < i; ++j) {
    const double a = h * table_.a[below(i) + std::size_t(j)];
    xi_ += a * k_[std::size_t(j)];
    next_.v += a * v_dot_[std::size_t(j)];
  }
  system.retract(x.q, xi_, next_.q);
  system.dexp_inv(xi_, next_.v, k_[at]);
  ++evaluations_;
  const ConstrainedSystem* constrained = as_constrained(system);
  if (!constrained || table_.a_rows[with_diagonal(i) + at] == 0)
    system.acceleration(t_i, next_.q, next_.v, v_dot_[at]);
  else
    constrained_slope(*constrained, x, t, h, i);
}

void HalfExplicit::constrained_slope(const ConstrainedSystem& system, const State& x, double t, double h,
                                     int i) {
  const auto at = std::size_t(i);
  const auto weight = [&](int j) { return h * table_.a_rows[with_diagonal(i) + std::size_t(j)]; };
  const double t_i = t + table_.c[at] * h, t_rows = t + table_.c_rows[at] * h;
  xi_ = weight(i) * k_[at];
  v_ = x.v;
  for (int j = 0; j < i; ++j) {
    xi_ += weight(j) * k_[std::size_t(j)];
    v_ += weight(j) * v_dot_[std::size_t(j)];
  }
  psi_.resize(system.rows());
  lambda_.resize(system.rows());
  system.retract(x.q, xi_, q_);
  system.force(t_i, next_.q, next_.v, force_);
  // The rows may depend on states besides the motion, whose rates of this stage are known.
  const Eigen::Index own = system.additions() - system.quadratures(), first = v_.size() - system.additions();
  v_.segment(first, own) += weight(i) * force_.segment(first, own);
  system.velocity_residual(t_rows, q_, v_, psi_);
  psi_ /= -weight(i);
  solver_.solve(system, t_i, next_, t_rows, q_, force_, psi_, Newton::unit_of_acceleration(h), v_dot_[at],
                lambda_);
}

/// The difference between the solution and the embedded solution, as (xi; dv). Only the part of dv tangent
/// to the constraints counts.
void HalfExplicit::estimate(const System& system, double t, double h, Vec& error) {
  const auto n = next_.v.size();
  error.setZero(2 * n);
  ++evaluations_;
  system.acceleration(t + h, next_.q, next_.v, v_dot_.back());
  system.dexp_inv(end_, next_.v, k_.back());
  x_.setZero();
  for (std::size_t j = 0; j < k_.size(); ++j) {
    x_ += h * table_.error[j] * k_[j];
    error.tail(n) += h * table_.error[j] * v_dot_[j];
  }
  system.dexp(end_, x_, error.head(n));
  const ConstrainedSystem* constrained = as_constrained(system);
  if (!constrained) return;
  constrained->constraint_times(t + h, next_.q, error.tail(n), psi_);
  force_.setZero();
  constrained->solve(t + h, next_.q, force_, psi_, x_, lambda_);
  error.tail(n) -= x_;
}

StepStatus HalfExplicit::step(const System& system, State& x, double t, double h, Vec* error) {
  resize(system);
  for (int i = 0; i < table_.stages; ++i) stage(system, x, t, h, i);
  end_.setZero(system.nv());
  next_.v = x.v;
  for (int j = 0; j < table_.stages; ++j) {
    const double b = h * table_.a_rows[with_diagonal(table_.stages - 1) + std::size_t(j)];
    end_ += b * k_[std::size_t(j)];
    next_.v += b * v_dot_[std::size_t(j)];
  }
  system.retract(x.q, end_, next_.q);
  if (!finite(next_, message_)) return StepStatus::non_finite;
  if (turn_.too_far(system, x.q, next_.q, end_, message_)) return StepStatus::rejected;
  if (error && embedded_order() > 0) {
    estimate(system, t, h, *error);
    if (!error->allFinite()) {
      message_ = "the error estimate is not finite";
      return StepStatus::rejected;
    }
  }
  x.q.swap(next_.q);
  x.v.swap(next_.v);
  x.memory.resize(0);
  return StepStatus::accepted;
}

std::unique_ptr<Stepper> make_hemk4() { return std::make_unique<HalfExplicit>(hemk4_table); }
std::unique_ptr<Stepper> make_hemk5() { return std::make_unique<HalfExplicit>(hemk5_table); }

}  // namespace torsor
