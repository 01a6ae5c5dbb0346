#pragma once

#include "torsor/lie/types.hpp"

namespace torsor {

/// The linear and the angular part of a twist or of a wrench, and 6 x 6 matrices made of 3 x 3 blocks.
template <class S>
class TwistParts {
 protected:
  using Part = Vector<S, 3>;
  using Twist = Vector<S, 6>;
  struct Parts {
    Part v, w;
  };

  static Part linear(const Twist& xi) { return Part(xi[0], xi[1], xi[2]); }
  static Part angular(const Twist& xi) { return Part(xi[3], xi[4], xi[5]); }
  static Parts split(const Twist& xi) { return {linear(xi), angular(xi)}; }
  static Twist join(const Part& v, const Part& w) {
    Twist xi;
    for (int i = 0; i < 3; ++i) xi[i] = v[i], xi[i + 3] = w[i];
    return xi;
  }
  static S dot(const Part& a, const Part& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  /// a b, with the same bits for doubles and packs. On some processors, Eigen's own product fuses
  /// multiplications and additions of doubles, but not those of packs.
  static Matrix<S, 3> product(const Matrix<S, 3>& a, const Matrix<S, 3>& b) {
    Matrix<S, 3> ab;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) ab(i, j) = a(i, 0) * b(0, j) + a(i, 1) * b(1, j) + a(i, 2) * b(2, j);
    return ab;
  }
  /// [diagonal, corner; 0, diagonal].
  static Matrix<S, 6> blocks(const Matrix<S, 3>& diagonal, const Matrix<S, 3>& corner) {
    Matrix<S, 6> M = Matrix<S, 6>::Constant(S(0));
    M.template topLeftCorner<3, 3>() = diagonal;
    M.template bottomRightCorner<3, 3>() = diagonal;
    M.template topRightCorner<3, 3>() = corner;
    return M;
  }
};

}  // namespace torsor
