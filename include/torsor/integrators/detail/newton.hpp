#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "torsor/integrators/system.hpp"
#include "torsor/integrators/tangent.hpp"
#include "torsor/lie/status.hpp"

namespace torsor {

/// Solves r(z) = 0 to rounding where dr/dz = I + O(h). The residuals of the implicit methods have this form.
///
/// The iteration first uses the identity as Jacobian (no evaluation, no factorisation). If it contracts too
/// slowly, it starts again with a dense Jacobian by differences or, for many velocities, with the tangent of
/// the system. If it then contracts too slowly, the Jacobian is renewed. The iteration ends at rounding,
/// which stiff forces magnify: it ends when small changes suddenly stop shrinking and a new Jacobian does not
/// make them smaller (changes below 1e-11 need no new Jacobian). The solver keeps nothing from one solve to
/// the next, so a side step does not alter the bits of the main steps.
class Newton {
 public:
  Newton();
  ~Newton();

  static constexpr int max_jacobians = 6, max_iterations = 25;  ///< max_iterations: for each Jacobian
  /// Up to this number of velocities the Jacobian is computed by differences even if the system has a
  /// tangent. Measured with chains of rods on ball joints, by lie-midpoint and generalized-alpha: differences
  /// take a tenth of the time with 3 velocities, a fifth with 90, and as long with about 400.
  static constexpr Eigen::Index dense_up_to = 100;

  /// From now on the changes of z_j are measured relative to unit + |z_j|. Differences for a Jacobian change
  /// z_j in proportion to of_differences + |z_j|, which must move stiff forces by more than their rounding.
  void set_unit(double unit, double of_differences) {
    unit_ = unit_of_multipliers_ = unit, of_differences_ = of_differences;
  }
  void set_unit(double unit) { set_unit(unit, unit); }

  /// The unit of velocities in a step of size h, 1/s: for velocities far below it, changes count as absolute.
  /// The unit of time is 1 s, but 100 steps if they are longer, because long steps belong to slow motions.
  /// The unit of accelerations, 1/s^2, is the square.
  static double unit_of_velocity(double h) { return std::min(1., 0.01 / std::abs(h)); }
  static double unit_of_acceleration(double h) { return unit_of_velocity(h) * unit_of_velocity(h); }

  /// Replaces the guess in z by the solution. On failure z is undefined and failure() gives the residual.
  template <class Residual>
  bool solve(const Residual& residual, Vec& z) {
    return solve(
        residual, z, [&] { differentiate(residual, z); }, [&](Vec& r) { divide_by_jacobian(r); });
  }

  /// The same for r(z) = c (a - a(t, q, v)), where c is any number and z represents the acceleration a. For
  /// more than `dense_up_to` velocities, uses the tangent of the system if it has one. `point()` returns the
  /// point of the last call of `residual`. Its acceleration is a(t, q, v), not the guess a: the forces that
  /// would produce the guess make the tangent of a long chain stiffer.
  template <class Residual, class Point>
  bool solve(const Residual& residual, Vec& z, const System& system, const Point& point) {
    set_quadratures(system.nv() - system.quadratures(), system.quadratures());
    Tangent* tangent = nullptr;
    const auto divide = [&](Vec& r) {
      if (!tangent) return divide_by_jacobian(r);
      tangent->metric_times(t_, q_, r, r_probe_);
      tangent->solve(r_probe_, none_, r, none_);
    };
    const auto factor = [&] {
      tangent = z.size() > dense_up_to ? system.tangent() : nullptr;
      if (!tangent) return differentiate(residual, z);
      const Tangent::Linearisation at = point();
      t_ = at.t, q_ = at.x.q;
      r_probe_.resize(z.size());
      tangent->factor(at);
    };
    return solve(residual, z, factor, divide);
  }

  /// The same with a Jacobian of the caller: `factor()` evaluates and factors it at the point of the last
  /// call of `residual`, and `divide(r)` divides r by it.
  template <class Residual, class Factor, class Divide>
  bool solve(const Residual& residual, Vec& z, const Factor& factor, const Divide& divide) {
    iterations_ = 0;
    stalled_ = std::numeric_limits<double>::infinity();
    start_ = z;
    if (iterate(residual, z, false, [](const Vec&) {})) return true;
    z = start_;
    for (int i = 0; i < max_jacobians; ++i) {
      residual(z, r_);
      size_ = r_.allFinite() ? norm(r_) : std::numeric_limits<double>::quiet_NaN();
      if (std::isnan(size_)) break;
      factor();
      if (iterate(residual, z, true, divide)) return true;
    }
    return false;
  }

  /// For solves without a system, until the next call: z[begin], ..., z[begin + count - 1] are quadratures,
  /// which act on no other component. Norms and the dense Jacobian leave them out.
  void set_quadratures(Eigen::Index begin, Eigen::Index count) { begin_ = begin, count_ = count; }

  /// From now on z[begin], ... are multipliers. They start at 0, so their first change has no limit, and
  /// differences in them are relative to this change.
  void set_multipliers(Eigen::Index begin) { multipliers_ = begin; }
  /// Changes of multipliers are measured relative to this unit plus their size; by default to that of z.
  void set_unit_of_multipliers(double unit) { unit_of_multipliers_ = unit; }

  /// "residual 3e-04 after 20 Newton iterations", or that the residual is not finite.
  std::string failure() const;

 private:
  /// Evaluates r(z) into r_. Returns false if a formula has no value at the iterate z.
  template <class Residual>
  bool has_value(const Residual& residual, const Vec& z) try {
    residual(z, r_);
    return true;
  } catch (const EvaluationError& error) {
    if (error.status != StepStatus::non_finite) throw;
    return false;
  }

  template <class Residual, class Divide>
  bool iterate(const Residual& residual, Vec& z, bool use_jacobian, const Divide& divide) {
    const double patience = use_jacobian ? 0.5 : 0.2;  // greatest quotient of changes, if above rounding
    double last = std::numeric_limits<double>::infinity(), least = 1;
    for (int i = 0; i < max_iterations; ++i, ++iterations_) {
      if (!has_value(residual, z)) return false;
      if (use_jacobian) size_ = norm(r_);
      step_.swap(r_);
      divide(step_);
      const double change = relative_change(z);
      if (!step_.allFinite() || !((i == 0 ? change_before_multipliers(z) : change) < 1e8)) return false;
      const double quotient = change / last;
      const bool small = use_jacobian && 1e-11 < change && change < 1e-5 && size_ < 1e-3 * (unit_ + norm(z));
      const bool again = std::isfinite(stalled_);
      const bool stalls = small && quotient > 0.3 && (again || i == 1 || quotient > 5 * least);
      const bool at_rounding =
          change <= 2 * eps || (change < 1e-11 && quotient > 0.5) || (stalls && change > 0.1 * stalled_);
      if (i > 0) least = std::min(least, quotient);
      if (stalls) stalled_ = change;
      if (!at_rounding && (stalls || (change > 1e-11 && quotient > patience))) return false;
      z -= step_;
      if (at_rounding) return true;
      last = change;
    }
    return false;
  }

  /// Computes and factors the Jacobian at z by differences. Needs r(z) in r_.
  template <class Residual>
  void differentiate(const Residual& residual, const Vec& z) {
    jacobian_.resize(z.size(), z.size());
    probe_ = z;
    for (Eigen::Index j = 0; j < z.size(); ++j) {
      if (is_quadrature(j)) continue;
      probe_[j] = z[j] + std::sqrt(eps) * size_of(z, j);
      residual(probe_, r_probe_);
      jacobian_.col(j) = (r_probe_ - r_) / (probe_[j] - z[j]);
      probe_[j] = z[j];
    }
    for (Eigen::Index j = begin_; j < begin_ + count_; ++j) {
      jacobian_.row(j).setZero();
      jacobian_.col(j).setUnit(j);
    }
    factorise();
  }

  /// The size of z_j for differences. The unit of forces is arbitrary, so the size of a multiplier is that of
  /// the multipliers: r is about the change that they need, since dr/dz = I + O(h).
  double size_of(const Vec& z, Eigen::Index j) const;

  bool is_quadrature(Eigen::Index j) const { return begin_ <= j && j < begin_ + count_; }

  /// The greatest |v_j| over the components that are not quadratures.
  double norm(const Vec& v) const {
    return count_ == 0 ? v.lpNorm<Eigen::Infinity>() : norm_without_quadratures(v);
  }
  double norm_without_quadratures(const Vec& v) const;
  /// The greatest |step_j| / (unit + |z_j|) over these components.
  double relative_change(const Vec& z) const;
  double change_before_multipliers(const Vec& z) const;

  void factorise();
  void divide_by_jacobian(Vec& r);

  static constexpr double eps = std::numeric_limits<double>::epsilon();

  Vec start_, r_, step_, probe_, r_probe_, q_, none_;
  Eigen::MatrixXd jacobian_;
  struct Factors;  // keeps Eigen's LU header out of the files that include this one
  std::unique_ptr<Factors> factors_;
  double size_ = 0, t_ = 0, unit_ = 1, unit_of_multipliers_ = 1, of_differences_ = 1;
  double stalled_ = 0;  ///< the change at which the previous Jacobian stalled; infinite: none has
  int iterations_ = 0;
  Eigen::Index begin_ = 0, count_ = 0;  ///< the components that are left out
  Eigen::Index multipliers_ = std::numeric_limits<Eigen::Index>::max();
};

}  // namespace torsor
