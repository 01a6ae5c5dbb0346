#include "torsor/integrators/detail/constrained_newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "torsor/integrators/detail/newton.hpp"

namespace torsor {
namespace {

double size_of(const Eigen::Ref<const Vec>& v) { return v.size() ? v.lpNorm<Eigen::Infinity>() : 0; }

/// The change of the accelerations that the rounding of positions, or of velocities, causes, relative to
/// Newton::unit_of_acceleration. The iteration cannot determine the accelerations more accurately.
double rounding_of(ConstrainedNewton::Level level, double c_v, double c_q, const Eigen::Ref<const Vec>& q,
                   const Eigen::Ref<const Vec>& v) {
  return std::numeric_limits<double>::epsilon() / Newton::unit_of_acceleration(c_v) *
         std::abs(level == ConstrainedNewton::Level::position
                      ? (1 + size_of(q)) / c_q
                      : (Newton::unit_of_velocity(c_v) + size_of(v)) / c_v);
}

/// A change below `rounding_factor` times the rounding counts as rounding, but only if it is also below
/// `determined`.
constexpr double rounding_factor = 8, determined = 0.1;

}  // namespace

Treatment ConstrainedNewton::form_of_step(Treatment form, double c_v, double c_q, const State& x) {
  const bool too_short = !(rounding_factor * rounding_of(Level::position, c_v, c_q, x.q, x.v) < determined);
  return form == Treatment::index_3 && too_short ? Treatment::index_2 : form;
}

void ConstrainedNewton::begin(const Equations& equations, const Vec& a, const Vec& lambda) {
  a_start_ = a, lambda_start_ = lambda;
  in_norm_ = equations.system.nv() - equations.system.quadratures();
  exact_ = false;
  for (Vec* v : {&r_, &da_}) v->resize(equations.system.nv());
  for (Vec* v : {&s_, &psi_, &dl_}) v->resize(equations.system.rows());
  iterations_ = 0;
}

void ConstrainedNewton::residual(const Equations& equations, const State& x, const Vec& a,
                                 const Vec& lambda) {
  const auto& [system, t, c_v, c_q, level] = equations;
  system.imbalance(t, x.q, x.v, a, lambda, r_);
  system.velocity_residual(t, x.q, x.v, psi_);
  if (level == Level::velocity) {
    s_ = psi_;
    return;
  }
  system.position_residual(t, x.q, s_);
  for (Eigen::Index j = 0; j < s_.size(); ++j)
    if (!system.holonomic()[std::size_t(j)]) s_[j] = c_q / c_v * psi_[j];
}

ConstrainedNewton::Verdict ConstrainedNewton::iterate(const Equations& equations, const State& x,
                                                      const Vec& xi, Vec& a, Vec& lambda) {
  const auto& [system, t, c_v, c_q, level] = equations;
  residual(equations, x, a, lambda);
  if (!r_.allFinite() || !s_.allFinite()) return Verdict::failed;
  if (exact_) {
    Tangent& tangent = *system.tangent();
    tangent.factor({t, x, a, lambda, xi, c_v, c_q, level});
    tangent.solve(r_, s_, da_, dl_);
  } else {
    s_ /= level == Level::velocity ? c_v : c_q;
    system.solve_with_mass(ConstrainedSystem::Factors::nearby, t, x.q, x.v, r_, s_, da_, dl_);
  }
  // The norms below drop NaN.
  if (!da_.head(in_norm_).allFinite() || !dl_.allFinite()) return exact_ ? Verdict::failed : Verdict::slow;
  a -= da_;
  lambda -= dl_;
  ++iterations_;
  const double unit = Newton::unit_of_acceleration(c_v);
  const double change = std::max(size_of(da_.head(in_norm_)) / (unit + size_of(a.head(in_norm_))),
                                 size_of(dl_) / (unit + size_of(lambda)));
  if (iterations_ == 1)
    enough_ = level == Level::velocity ? std::clamp(1e-2 * change, tolerance, 1e-8) : tolerance;
  if (!exact_) return judge_simplified(change);
  return judge(change, rounding_of(level, c_v, c_q, x.q, x.v.head(system.nv() - system.additions())));
}

/// Convergence is linear: the remaining error is the sum of a geometric series.
ConstrainedNewton::Verdict ConstrainedNewton::judge_simplified(double change) {
  constexpr double contraction = 0.25;
  const double quotient = change / last_;
  const bool first = iterations_ == 1;
  last_ = change;
  if (first) return change < 1e8 ? Verdict::on : Verdict::slow;
  if (change < 1e-12 || (quotient < 0.5 && change * quotient / (1 - quotient) <= enough_))
    return Verdict::solved;
  if (change < 1e-9 && quotient > contraction) return Verdict::solved;  // rounding
  return quotient < contraction ? Verdict::on : Verdict::slow;
}

void ConstrainedNewton::use_exact_tangent(Vec& a, Vec& lambda) {
  a = a_start_, lambda = lambda_start_;
  exact_ = true;
  iterations_ = 0;
}

/// Convergence is quadratic down to the error of the tangent, so the last two changes predict the next one.
/// A change that no longer decreases is rounding if it is below 1e-6, or below 8 times `rounding`. It is an
/// error of the reactions; projection removes its effect on the velocities. A step so short that a tenth of
/// the accelerations is rounding fails.
ConstrainedNewton::Verdict ConstrainedNewton::judge(double change, double rounding) {
  constexpr double error_of_tangent = 1e-7;
  if (!(change < 1e8)) return Verdict::failed;
  const double quotient = change / last_;
  const bool first = iterations_ == 1,
             at_rounding = !first && quotient > 0.3 &&
                           change < std::clamp(rounding_factor * rounding, 1e-6, determined);
  const double next = change * (first ? 1 : std::max(quotient * quotient, error_of_tangent));
  if (next <= tolerance || at_rounding) return Verdict::solved;
  last_ = change;
  return iterations_ < max_iterations ? Verdict::on : Verdict::failed;
}

std::string ConstrainedNewton::failure() const {
  char text[120];
  std::snprintf(text, sizeof text,
                "residual %.0e of the dynamics and %.0e of the constraints after %d Newton iterations",
                size_of(r_.head(in_norm_)), size_of(s_), iterations_);
  return text;
}

}  // namespace torsor
