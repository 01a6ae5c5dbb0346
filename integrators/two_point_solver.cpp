#include "integrators/two_point_solver.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace torsor {
namespace {

[[noreturn]] void refuse(const ConstrainedSystem& system, double t) {
  constexpr double nearly_dependent = 10;
  const Conditioning& conditioning = system.conditioning();
  if (conditioning.condition() < nearly_dependent) {
    const std::string doubt = conditioning.rank_doubt();
    if (doubt.empty())
      throw EvaluationError(StepStatus::newton_failed, "the constraints change too much within the step");
    throw EvaluationError(StepStatus::singular, doubt);
  }
  char text[120];
  std::snprintf(text, sizeof text, "\" at t = %.6g: condition %.1e", t, conditioning.condition());
  throw EvaluationError(StepStatus::singular,
                        "the constraints nearly lose rank in \"" + std::string(conditioning.worst()) + text);
}

}  // namespace

void TwoPointSolver::solve(const ConstrainedSystem& system, double t, const State& at, double t_rows,
                           const Vec& q_rows, const Vec& r, const Vec& s, double unit, Vec& x, Vec& y) {
  constexpr int max_passes = 50;
  zero_.setZero(r.size());
  change_.resize(r.size());
  left_.resize(s.size());
  system.solve_with_mass(ConstrainedSystem::Factors::exact, t, at.q, at.v, r, s, x, y);
  double last = std::numeric_limits<double>::infinity(), before = last;
  for (int i = 0; i < max_passes; ++i) {
    system.constraint_times(t_rows, q_rows, x, left_);
    left_ = s - left_;
    system.solve_with_mass(ConstrainedSystem::Factors::exact, t, at.q, at.v, zero_, left_, change_, left_);
    x += change_;
    y += left_;
    const double change = without_quadratures(system, change_).lpNorm<Eigen::Infinity>() /
                          (unit + without_quadratures(system, x).lpNorm<Eigen::Infinity>());
    if (change < 1e-15 || (change < 1e-12 && change > 0.5 * last)) return;
    // The greatest number of a change may hide others that matter, such as accelerations of 1e-6 m/s^2 beside
    // angular accelerations of 1 rad/s^2. The next change may then be greater than this one.
    if (!(change < 2 * std::max(last, before))) break;
    before = last, last = change;
  }
  refuse(system, t);
}

}  // namespace torsor
