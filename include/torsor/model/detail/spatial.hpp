#pragma once

#include <Eigen/Core>

namespace torsor::spatial {

// Vectors and matrices of the recursions over links: plain structs over a Scalar (double, long double, SIMD
// pack, dual number). They replace Eigen's types here for two reasons. With Eigen's types the backward
// recursion takes 9 % longer (GCC 12). And Sym3 is symmetric by its type: in a general matrix, antisymmetric
// rounding errors would grow along a chain until the recursion diverges. The products of a matrix and a
// vector, and the products that are symmetric, are always inlined; GCC otherwise decides by the size of the
// source that contains them.

template <class Scalar>
struct Vec3 {
  Scalar x{}, y{}, z{};

  Vec3() = default;
  Vec3(const Scalar& x_, const Scalar& y_, const Scalar& z_) : x(x_), y(y_), z(z_) {}
  template <class Other>
  explicit Vec3(const Vec3<Other>& a) : x(Scalar(a.x)), y(Scalar(a.y)), z(Scalar(a.z)) {}
  explicit Vec3(const Eigen::Matrix<Scalar, 3, 1>& a) : x(a[0]), y(a[1]), z(a[2]) {}
  /// The three numbers at `data`.
  static Vec3 from(const Scalar* data) { return {data[0], data[1], data[2]}; }
  void to(Scalar* data) const { data[0] = x, data[1] = y, data[2] = z; }
  Eigen::Matrix<Scalar, 3, 1> eigen() const { return {x, y, z}; }

  Vec3& operator+=(const Vec3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  Vec3& operator-=(const Vec3& b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend Vec3 operator*(const Scalar& s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
};

template <class Scalar>
Scalar dot(const Vec3<Scalar>& a, const Vec3<Scalar>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Scalar>
Vec3<Scalar> cross(const Vec3<Scalar>& a, const Vec3<Scalar>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// w x (w x r): the centripetal acceleration of the point r at the angular velocity w.
template <class Scalar>
Vec3<Scalar> centripetal(const Vec3<Scalar>& w, const Vec3<Scalar>& r) {
  return dot(w, r) * w - dot(w, w) * r;
}

/// General matrix, entries by row and column.
template <class Scalar>
struct Mat3 {
  Scalar xx{}, xy{}, xz{}, yx{}, yy{}, yz{}, zx{}, zy{}, zz{};

  Mat3() = default;
  Mat3(const Scalar& xx_, const Scalar& xy_, const Scalar& xz_, const Scalar& yx_, const Scalar& yy_,
       const Scalar& yz_, const Scalar& zx_, const Scalar& zy_, const Scalar& zz_)
      : xx(xx_), xy(xy_), xz(xz_), yx(yx_), yy(yy_), yz(yz_), zx(zx_), zy(zy_), zz(zz_) {}
  template <class Other>
  explicit Mat3(const Mat3<Other>& a)
      : Mat3(Scalar(a.xx), Scalar(a.xy), Scalar(a.xz), Scalar(a.yx), Scalar(a.yy), Scalar(a.yz), Scalar(a.zx),
             Scalar(a.zy), Scalar(a.zz)) {}
  explicit Mat3(const Eigen::Matrix<Scalar, 3, 3>& a)
      : Mat3(a(0, 0), a(0, 1), a(0, 2), a(1, 0), a(1, 1), a(1, 2), a(2, 0), a(2, 1), a(2, 2)) {}
  static Mat3 identity() { return from_rows({1, 0, 0}, {0, 1, 0}, {0, 0, 1}); }
  static Mat3 from_rows(const Vec3<Scalar>& a, const Vec3<Scalar>& b, const Vec3<Scalar>& c) {
    return {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
  }
  Eigen::Matrix<Scalar, 3, 3> eigen() const {
    Eigen::Matrix<Scalar, 3, 3> a;
    a.row(0) = row_x().eigen(), a.row(1) = row_y().eigen(), a.row(2) = row_z().eigen();
    return a;
  }

  Vec3<Scalar> row_x() const { return {xx, xy, xz}; }
  Vec3<Scalar> row_y() const { return {yx, yy, yz}; }
  Vec3<Scalar> row_z() const { return {zx, zy, zz}; }
  Vec3<Scalar> col_x() const { return {xx, yx, zx}; }
  Vec3<Scalar> col_y() const { return {xy, yy, zy}; }
  Vec3<Scalar> col_z() const { return {xz, yz, zz}; }

  Mat3& operator+=(const Mat3& b) {
    xx += b.xx, xy += b.xy, xz += b.xz, yx += b.yx, yy += b.yy, yz += b.yz, zx += b.zx, zy += b.zy,
        zz += b.zz;
    return *this;
  }
  friend Mat3 operator-(const Mat3& a, const Mat3& b) {
    return from_rows(a.row_x() - b.row_x(), a.row_y() - b.row_y(), a.row_z() - b.row_z());
  }
  [[gnu::always_inline]] friend Vec3<Scalar> operator*(const Mat3& a, const Vec3<Scalar>& b) {
    return {dot(a.row_x(), b), dot(a.row_y(), b), dot(a.row_z(), b)};
  }
  friend Mat3 operator*(const Mat3& a, const Mat3& b) {
    return from_rows(transpose_times(b, a.row_x()), transpose_times(b, a.row_y()),
                     transpose_times(b, a.row_z()));
  }
  /// a^T b.
  [[gnu::always_inline]] friend Vec3<Scalar> transpose_times(const Mat3& a, const Vec3<Scalar>& b) {
    return {dot(a.col_x(), b), dot(a.col_y(), b), dot(a.col_z(), b)};
  }
};

/// Symmetric matrix: six numbers, so that it stays symmetric.
template <class Scalar>
struct Sym3 {
  Scalar xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  Sym3() = default;
  Sym3(const Scalar& xx_, const Scalar& yy_, const Scalar& zz_, const Scalar& xy_, const Scalar& xz_,
       const Scalar& yz_)
      : xx(xx_), yy(yy_), zz(zz_), xy(xy_), xz(xz_), yz(yz_) {}
  template <class Other>
  explicit Sym3(const Sym3<Other>& a)
      : Sym3(Scalar(a.xx), Scalar(a.yy), Scalar(a.zz), Scalar(a.xy), Scalar(a.xz), Scalar(a.yz)) {}
  /// From the lower triangle.
  explicit Sym3(const Eigen::Matrix<Scalar, 3, 3>& a)
      : Sym3(a(0, 0), a(1, 1), a(2, 2), a(1, 0), a(2, 0), a(2, 1)) {}
  static Sym3 diagonal(const Scalar& s) { return {s, s, s, Scalar(0), Scalar(0), Scalar(0)}; }
  Eigen::Matrix<Scalar, 3, 3> eigen() const {
    return Mat3<Scalar>(xx, xy, xz, xy, yy, yz, xz, yz, zz).eigen();
  }

  Vec3<Scalar> row_x() const { return {xx, xy, xz}; }
  Vec3<Scalar> row_y() const { return {xy, yy, yz}; }
  Vec3<Scalar> row_z() const { return {xz, yz, zz}; }

  Sym3& operator+=(const Sym3& b) {
    xx += b.xx, yy += b.yy, zz += b.zz, xy += b.xy, xz += b.xz, yz += b.yz;
    return *this;
  }
  friend Sym3 operator+(Sym3 a, const Sym3& b) { return a += b; }
  friend Sym3 operator-(const Sym3& a, const Sym3& b) {
    return {a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
  }
  friend Sym3 operator*(const Scalar& s, const Sym3& a) {
    return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
  }
  [[gnu::always_inline]] friend Vec3<Scalar> operator*(const Sym3& a, const Vec3<Scalar>& b) {
    return {dot(a.row_x(), b), dot(a.row_y(), b), dot(a.row_z(), b)};
  }
};

/// a b^T of two matrices whose product is known to be symmetric.
template <class Scalar>
[[gnu::always_inline]] inline Sym3<Scalar> symmetric_product(const Mat3<Scalar>& a, const Mat3<Scalar>& b) {
  return {dot(a.row_x(), b.row_x()), dot(a.row_y(), b.row_y()), dot(a.row_z(), b.row_z()),
          dot(a.row_x(), b.row_y()), dot(a.row_x(), b.row_z()), dot(a.row_y(), b.row_z())};
}
/// R a R^T.
template <class Scalar>
[[gnu::always_inline]] inline Sym3<Scalar> rotated(const Mat3<Scalar>& R, const Sym3<Scalar>& a) {
  const auto left = Mat3<Scalar>::from_rows(a * R.row_x(), a * R.row_y(), a * R.row_z());  // R a
  return symmetric_product(left, R);
}

/// A twist (velocity; angular velocity), its rate, or a wrench (force; moment): linear part first.
template <class Scalar>
struct Vec6 {
  Vec3<Scalar> lin, ang;
  Vec6& operator+=(const Vec6& b) { return lin += b.lin, ang += b.ang, *this; }
};

/// Rigid inertia about a point O: mass, m c (c the mass centre from O) and the inertia about O.
template <class Scalar>
struct RigidInertia {
  Scalar m{};
  Vec3<Scalar> mc;
  Sym3<Scalar> J;
};

/// Articulated inertia at a point of a link. The wrench that accelerates the link and all links that it
/// carries is force = M a + H alpha + bias.lin, moment = H^T a + J alpha + bias.ang.
template <class Scalar>
struct ArticulatedInertia {
  Sym3<Scalar> M;
  Mat3<Scalar> H;
  Sym3<Scalar> J;
  Vec6<Scalar> bias;
  [[gnu::always_inline]] ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    M += b.M, H += b.H, J += b.J, bias += b.bias;
    return *this;
  }
};

/// Pose of a link's frame M in its parent's frame M (or the world frame), and the angular velocity of the
/// link relative to the world, in axes of M.
template <class Scalar>
struct LocalMotion {
  Mat3<Scalar> R_PM;
  Vec3<Scalar> p_PM;
  Vec3<Scalar> w_M;
};

}  // namespace torsor::spatial
