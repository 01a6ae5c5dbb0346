#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "torsor/lie/types.hpp"

namespace torsor {

/// Solves r(z) = 0 to rounding where dr/dz = I + O(h), as the residuals of the implicit methods are written.
///
/// Starts with the identity as Jacobian (no evaluation, no factorisation); where that contracts too slowly,
/// with a dense one by differences, renewed when it in turn contracts too slowly. Nothing is carried from
/// solve to solve, so that a side step leaves the bits of the main steps alone.
class Newton {
 public:
  Newton();
  ~Newton();

  static constexpr int max_jacobians = 6, max_iterations = 25;  ///< the second for each Jacobian

  /// From the guess in z to the solution. On failure z is left anywhere and failure() says how far off it
  /// was.
  template <class Residual>
  bool solve(const Residual& residual, Vec& z) {
    iterations_ = 0;
    start_ = z;
    if (iterate(residual, z, false)) return true;
    z = start_;
    for (int i = 0; i < max_jacobians; ++i) {
      residual(z, r_);
      if (!r_.allFinite()) break;
      differentiate(residual, z);
      if (iterate(residual, z, true)) return true;
    }
    return false;
  }

  /// "residual 3e-04 after 20 Newton iterations"
  std::string failure() const;

 private:
  template <class Residual>
  bool iterate(const Residual& residual, Vec& z, bool use_jacobian) {
    const double patience = use_jacobian ? 0.5 : 0.2;  // a Jacobian must earn less once it is paid for
    double last = std::numeric_limits<double>::infinity();
    for (int i = 0; i < max_iterations; ++i, ++iterations_) {
      residual(z, r_);
      size_ = r_.lpNorm<Eigen::Infinity>();
      step_ = r_;
      if (use_jacobian) divide_by_jacobian(step_);
      const double change = (step_.array().abs() / (1 + z.array().abs())).maxCoeff();
      if (!step_.allFinite() || !(change < 1e8)) return false;
      const bool at_rounding = change <= 2 * eps || (change < 1e-11 && change > 0.5 * last);
      if (!at_rounding && change > 1e-11 && change > patience * last) return false;
      z -= step_;
      if (at_rounding) return true;
      last = change;
    }
    return false;
  }

  /// Expects r(z) in r_.
  template <class Residual>
  void differentiate(const Residual& residual, const Vec& z) {
    jacobian_.resize(z.size(), z.size());
    probe_ = z;
    for (Eigen::Index j = 0; j < z.size(); ++j) {
      probe_[j] = z[j] + std::sqrt(eps) * (1 + std::abs(z[j]));
      residual(probe_, r_probe_);
      jacobian_.col(j) = (r_probe_ - r_) / (probe_[j] - z[j]);
      probe_[j] = z[j];
    }
    factorise();
  }

  void factorise();
  void divide_by_jacobian(Vec& r);

  static constexpr double eps = std::numeric_limits<double>::epsilon();

  Vec start_, r_, step_, probe_, r_probe_;
  Eigen::MatrixXd jacobian_;
  struct Factors;  // keeps a factorisation of run-time size out of every file that steps
  std::unique_ptr<Factors> factors_;
  double size_ = 0;
  int iterations_ = 0;
};

}  // namespace torsor
