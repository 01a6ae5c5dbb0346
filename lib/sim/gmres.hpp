#pragma once

#include <Eigen/Core>
#include <cmath>

#include "torsor/lie/types.hpp"

namespace torsor::sim {

/// Solves A x = b for an operator near the identity: the x of least |b - A x| in the space of b, A b, A A b
/// ... After the first solution of a size there is no allocation. Saad, Schultz, SIAM J. Sci. Stat. Comput. 7
/// (1986) 856-869.
class Gmres {
 public:
  static constexpr int most = 30;  ///< dimensions of that space

  /// `times(x, out)` sets out = A x. Ends where |b - A x| <= tolerance |b|, or with the best there is.
  template <class Operator>
  void solve(const Operator& times, const Vec& b, double tolerance, Vec& x) {
    const double size = b.norm();
    x.setZero(b.size());
    if (!(size > 0)) return;
    basis_.resize(b.size(), most + 1);
    basis_.col(0) = b / size;
    left_[0] = size;
    int k = 0;
    while (k < most && std::abs(left_[k]) > tolerance * size) {
      direction_ = basis_.col(k);
      times(direction_, image_);
      extend(k++);
    }
    combine(k, x);
  }

 private:
  void extend(int k);
  void combine(int k, Vec& x);

  Eigen::MatrixXd basis_;                           ///< orthonormal, of the space
  Eigen::Matrix<double, most + 1, most> triangle_;  ///< A in it, turned to an upper triangle
  Eigen::Matrix<double, most + 1, 1> left_;         ///< b, turned likewise; its last entry is what is left
  Eigen::Matrix<double, most, 1> cosine_, sine_;    ///< of the turns
  Vec direction_, image_;
};

}  // namespace torsor::sim
