#pragma once

#include "torsor/lie/types.hpp"

namespace torsor {

// The formulas are written out by components. Eigen would load pairs of components, and a pair that was just
// stored as two numbers makes the processor wait.

/// a x b.
template <class Scalar>
inline Vector<Scalar, 3> cross(const Vector<Scalar, 3>& a, const Vector<Scalar, 3>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The skew matrix W of w: W b = w x b.
template <class Scalar>
inline Matrix<Scalar, 3> skew(const Vector<Scalar, 3>& w) {
  const Scalar zero(0);
  Matrix<Scalar, 3> W;
  W(0, 0) = zero, W(0, 1) = -w[2], W(0, 2) = w[1];
  W(1, 0) = w[2], W(1, 1) = zero, W(1, 2) = -w[0];
  W(2, 0) = -w[1], W(2, 1) = w[0], W(2, 2) = zero;
  return W;
}

/// The vector of a skew matrix.
template <class Scalar>
inline Vector<Scalar, 3> unskew(const Matrix<Scalar, 3>& W) {
  return {W(2, 1), W(0, 2), W(1, 0)};
}

/// I + s W + t W^2 for the skew matrix W of w: the form of every analytic function f of W with f(0) = 1.
template <class Scalar>
inline Matrix<Scalar, 3> skew_polynomial(const Vector<Scalar, 3>& w, const Scalar& s, const Scalar& t) {
  const Scalar xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2], one(1);
  const Scalar xy = t * w[0] * w[1], xz = t * w[0] * w[2], yz = t * w[1] * w[2];
  const Scalar sx = s * w[0], sy = s * w[1], sz = s * w[2];
  Matrix<Scalar, 3> M;
  M(0, 0) = one - t * (yy + zz), M(0, 1) = xy - sz, M(0, 2) = xz + sy;
  M(1, 0) = xy + sz, M(1, 1) = one - t * (xx + zz), M(1, 2) = yz - sx;
  M(2, 0) = xz - sy, M(2, 1) = yz + sx, M(2, 2) = one - t * (xx + yy);
  return M;
}

/// v + s w x v + t w x (w x v): skew_polynomial applied.
template <class Scalar>
inline Vector<Scalar, 3> apply_skew_polynomial(const Vector<Scalar, 3>& w, const Scalar& s, const Scalar& t,
                                               const Vector<Scalar, 3>& v) {
  const Vector<Scalar, 3> wv = cross(w, v), wwv = cross(w, wv);
  return {v[0] + s * wv[0] + t * wwv[0], v[1] + s * wv[1] + t * wwv[1], v[2] + s * wv[2] + t * wwv[2]};
}

}  // namespace torsor
