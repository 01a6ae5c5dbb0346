#pragma once

#include <string>

#include "torsor/integrators/constrained_system.hpp"
#include "torsor/integrators/treatment.hpp"

namespace torsor {

/// Solves the equations of an implicit step of a constrained system for the acceleration and the multipliers
/// at its end,
///
///   G a = f + A^T lambda,   A v + a0 = 0  or  phi = 0,   at (t, q(a), v(a)),
///
/// where dv = c_v da and q = q0 exp(xi), dxi = c_q da. The simplified iteration comes first. Its matrix is
/// the saddle-point matrix of G and A, which every system provides and which equals the tangent up to terms
/// of order h. If a change is more than a quarter of the change before it (stiff forces, fast spins), the
/// solution starts again from the first guess, by Newton's method with the exact tangent.
///
/// The iteration ends when the estimated error of accelerations and multipliers, each relative to its own
/// size plus Newton::unit_of_acceleration(c_v), is below `tolerance`, or at rounding. The multipliers are
/// included because they can be far off when the state has already converged. Where the position is
/// projected afterwards (Level::velocity), the simplified iteration may end at a hundredth of the first
/// change, but not above 1e-8. This is enough because the first guess comes from the last steps and has a
/// higher order than the step. Bruls, Cardona, Arnold, Mech. Mach. Theory 48 (2012) 121-137.
class ConstrainedNewton {
 public:
  using Level = Tangent::Level;
  static constexpr int max_iterations = 20;
  static constexpr double tolerance = 1e-10;

  struct Equations {
    const ConstrainedSystem& system;
    double t, c_v, c_q;
    Level level;
  };

  /// The form of a step from x: index 2 in place of index 3 if the step is so short that the rounding of
  /// positions would change its accelerations by 1/80 of Newton::unit_of_acceleration, or more.
  static Treatment form_of_step(Treatment form, double c_v, double c_q, const State& x);

  /// Replaces the guesses in a and lambda by the solution. `advance(a)` sets x and xi; they are left at the
  /// solution. On failure, failure() gives the residuals.
  template <class Advance>
  bool solve(const Equations& equations, const Advance& advance, const State& x, const Vec& xi, Vec& a,
             Vec& lambda) {
    begin(equations, a, lambda);
    for (;;) {
      advance(a);
      const Verdict verdict = iterate(equations, x, xi, a, lambda);
      if (verdict == Verdict::on) continue;
      if (verdict == Verdict::slow) {
        use_exact_tangent(a, lambda);
        continue;
      }
      advance(a);
      return verdict == Verdict::solved;
    }
  }

  /// "residual 3e-04 of the dynamics and 2e-05 of the constraints after 20 Newton iterations"
  std::string failure() const;
  int iterations() const { return iterations_; }

 private:
  enum class Verdict { on, slow, solved, failed };

  void begin(const Equations& equations, const Vec& a, const Vec& lambda);
  void use_exact_tangent(Vec& a, Vec& lambda);
  Verdict iterate(const Equations& equations, const State& x, const Vec& xi, Vec& a, Vec& lambda);
  void residual(const Equations& equations, const State& x, const Vec& a, const Vec& lambda);
  Verdict judge(double change, double rounding);
  Verdict judge_simplified(double change);

  Vec a_start_, lambda_start_, r_, s_, psi_, da_, dl_;
  double last_ = 0, enough_ = 0;
  int iterations_ = 0;
  Eigen::Index in_norm_ = 0;  ///< components of a that norms contain: all but the quadratures
  bool exact_ = false;
};

}  // namespace torsor
