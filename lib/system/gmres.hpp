#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "torsor/lie/types.hpp"

namespace torsor::mechanics {

/// Solves A x = b for an operator A near the identity: x has the least |b - A x| in the Krylov space of b,
/// A b, A A b, ... No allocation after the first solution of a given size. Saad, Schultz, SIAM J. Sci.
/// Stat. Comput. 7 (1986) 856-869.
class Gmres {
 public:
  /// Greatest dimension of the Krylov space. The preconditioned operators are near the identity, so the
  /// iteration converges in a few steps.
  static constexpr int most = 30;

  /// `times(x, out)` sets out = A x. Stops at |b - A x| <= tolerance |b|, or with the best x at the
  /// greatest dimension. Where b or an image is not finite, x is NaN.
  template <class Operator>
  void solve(const Operator& times, const Vec& b, double tolerance, Vec& x) {
    const double size = b.norm();
    x.setZero(b.size());
    if (size == 0) return;
    if (!std::isfinite(size)) return void(x.setConstant(not_a_number));
    basis_.resize(b.size(), most + 1);
    basis_.col(0) = b / size;
    left_[0] = size;
    int k = 0;
    while (k < most && !(std::abs(left_[k]) <= tolerance * size)) {
      direction_ = basis_.col(k);
      times(direction_, image_);
      extend(k++);
      if (!std::isfinite(left_[k])) return void(x.setConstant(not_a_number));
    }
    combine(k, x);
  }

 private:
  static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  void extend(int k);
  void combine(int k, Vec& x);

  Eigen::MatrixXd basis_;                           ///< orthonormal, of the Krylov space
  Eigen::Matrix<double, most + 1, most> triangle_;  ///< A in this basis, rotated to an upper triangle
  Eigen::Matrix<double, most + 1, 1> left_;         ///< b, rotated likewise; its last entry is the residual
  Eigen::Matrix<double, most, 1> cosine_, sine_;    ///< of the rotations
  Vec direction_, image_;
};

}  // namespace torsor::mechanics
