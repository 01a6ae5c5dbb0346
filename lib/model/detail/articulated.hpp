#pragma once

#include "axes.hpp"
#include "torsor/lie/scalar.hpp"

namespace torsor::detail {

/// Throws EvaluationError(singular): the inboard joint of the link has no inertia to accelerate.
[[noreturn]] void throw_singular(const Model& model, int link);

using spatial::ArticulatedInertia;

/// Articulated inertia of a single body with the angular velocity w. Its bias is the wrench at zero
/// acceleration: force w x (w x m c), moment w x J w.
template <class Scalar>
[[gnu::always_inline]] inline ArticulatedInertia<Scalar> rigid(const spatial::RigidInertia<double>& body,
                                                               const Vec3<Scalar>& w) {
  const Scalar o(0);
  const Vec3<Scalar> mc(body.mc);
  const Sym3<Scalar> J(body.J);
  return {Sym3<Scalar>::diagonal(Scalar(body.m)),
          Mat3<Scalar>(o, mc.z, -mc.y, -mc.z, o, mc.x, mc.y, -mc.x, o),  // alpha x m c
          J,
          {centripetal(w, mc), cross(w, J * w)}};
}

/// The factors A = L D L^T of a positive definite matrix. Solutions by these factors are accurate in the
/// directions of great inertia too if the inertia about another axis is far smaller; those by the inverse of
/// A are not. `positive` becomes false if a pivot is not positive. NaN does not make it false: the caller
/// checks the results.
template <class Scalar>
struct Factors3 {
  Scalar yx, zx, zy;           ///< of L
  Scalar x_inv, y_inv, z_inv;  ///< of D^-1

  /// Both divisions can run at once, which matters because each link waits for the result of its children.
  [[gnu::always_inline]] inline Factors3(const Sym3<Scalar>& a, bool& positive) {
    const Scalar yy = a.xx * a.yy - a.xy * a.xy, yz = a.xx * a.yz - a.xy * a.xz;
    const Scalar zz = a.xx * a.zz - a.xz * a.xz, last = yy * zz - yz * yz;
    positive = !some(a.xx <= Scalar(0)) && !some(yy <= Scalar(0)) && !some(last <= Scalar(0));
    const Scalar first = a.xx * yy, r = Scalar(1) / first;
    x_inv = r * yy, y_inv = r * (a.xx * a.xx), z_inv = first / last;
    yx = a.xy * x_inv, zx = a.xz * x_inv, zy = yz * (r * a.xx);
  }

  /// A^-1 b.
  [[gnu::always_inline]] inline Vec3<Scalar> solve(const Vec3<Scalar>& b) const {
    const Scalar y = b.y - yx * b.x, z = (b.z - zx * b.x) - zy * y;
    const Scalar at_z = z_inv * z, at_y = y_inv * y - zy * at_z;
    return {(x_inv * b.x - yx * at_y) - zx * at_z, at_y, at_z};
  }
};

/// [s] A: the columns are s x (column of A).
template <class Scalar>
[[gnu::always_inline]] inline Mat3<Scalar> cross_columns(const Vec3<Scalar>& s, const Mat3<Scalar>& A) {
  return Mat3<Scalar>::from_rows(s.y * A.row_z() - s.z * A.row_y(), s.z * A.row_x() - s.x * A.row_z(),
                                 s.x * A.row_y() - s.y * A.row_x());
}

/// -M [p]: maps an angular acceleration alpha to the force M (alpha x p) on the inertia M at the point p.
template <class Scalar>
[[gnu::always_inline]] inline Mat3<Scalar> lever(const Sym3<Scalar>& M, const Vec3<Scalar>& p) {
  return Mat3<Scalar>::from_rows(cross(p, M.row_x()), cross(p, M.row_y()), cross(p, M.row_z()));
}

/// The contribution of a link to the articulated inertia of its parent, for a joint that leaves all rotations
/// free: the link has a point inertia M and a bias `wrench` at the origin of its frame. R, p: pose of this
/// frame in the parent's frame. w: angular velocity of the parent in its axes.
template <class Scalar>
[[gnu::always_inline]] inline ArticulatedInertia<Scalar> to_parent(const Mat3<Scalar>& R,
                                                                   const Vec3<Scalar>& p,
                                                                   const Vec3<Scalar>& w,
                                                                   const Sym3<Scalar>& M,
                                                                   const Vec6<Scalar>& wrench) {
  const Sym3<Scalar> M_P = rotated(R, M);
  const Vec3<Scalar> f = R * wrench.lin + M_P * centripetal(w, p);
  const Mat3<Scalar> H = lever(M_P, p);
  const Sym3<Scalar> J{p.y * H.zx - p.z * H.yx, p.z * H.xy - p.x * H.zy, p.x * H.yz - p.y * H.xz,
                       p.y * H.zy - p.z * H.yy, p.y * H.zz - p.z * H.yz, p.z * H.xz - p.x * H.zz};  // [p] H
  return {M_P, H, J, {f, R * wrench.ang + cross(p, f)}};
}

/// The same for a general articulated inertia, whose bias already contains the centripetal part.
template <class Scalar>
ArticulatedInertia<Scalar> to_parent(const Mat3<Scalar>& R, const Vec3<Scalar>& p,
                                     const ArticulatedInertia<Scalar>& a) {
  const auto rotated_rows = [&](const Mat3<Scalar>& A) {  // A R^T
    return Mat3<Scalar>::from_rows(R * A.row_x(), R * A.row_y(), R * A.row_z());
  };
  const Sym3<Scalar> M = rotated(R, a.M), J = rotated(R, a.J);
  const Mat3<Scalar> H = R * rotated_rows(a.H);
  Mat3<Scalar> H_P = lever(M, p);
  H_P += H;
  const Mat3<Scalar> A = cross_columns(p, H_P), B = cross_columns(p, H);  // J_P = J + A + B^T
  const Vec3<Scalar> f = R * a.bias.lin;
  return {M,
          H_P,
          {J.xx + A.xx + B.xx, J.yy + A.yy + B.yy, J.zz + A.zz + B.zz, J.xy + A.xy + B.yx, J.xz + A.xz + B.zx,
           J.yz + A.yz + B.zy},
          {f, R * a.bias.ang + cross(p, f)}};
}

/// The articulated inertia times s.
template <int k, class Scalar>
Vec6<Scalar> times(const ArticulatedInertia<Scalar>& a, Unit<k>) {
  if constexpr (k == 0) return {a.M.row_x(), a.H.row_x()};
  if constexpr (k == 1) return {a.M.row_y(), a.H.row_y()};
  if constexpr (k == 2) return {a.M.row_z(), a.H.row_z()};
  if constexpr (k == 3) return {a.H.col_x(), a.J.row_x()};
  if constexpr (k == 4) return {a.H.col_y(), a.J.row_y()};
  if constexpr (k == 5) return {a.H.col_z(), a.J.row_z()};
}
template <class Scalar>
Vec6<Scalar> times(const ArticulatedInertia<Scalar>& a, const Vec6<Scalar>& s) {
  return {a.M * s.lin + a.H * s.ang, transpose_times(a.H, s.lin) + a.J * s.ang};
}

inline constexpr int axis_factor_size = 7;

/// Eliminates the motion along s, which the joint leaves free under the joint force tau: A becomes
/// A - U U^T / D with U = A s, D = s^T U. Stores U / D and (tau - s . bias) / D in `factor`, from which
/// `release_along` computes the acceleration along s. Returns false if D is not positive.
template <class Axis, class Scalar>
bool eliminate(const Axis& s, const Scalar& tau, ArticulatedInertia<Scalar>& a, Scalar* factor) {
  const Vec6<Scalar> U = times(a, s);
  const Scalar D = component(U, s), reciprocal = Scalar(1) / D;
  const Vec3<Scalar> f = reciprocal * U.lin, m = reciprocal * U.ang;
  const Scalar u = tau - component(a.bias, s);
  f.to(factor), m.to(factor + 3), factor[6] = reciprocal * u;
  a.M = a.M - Sym3<Scalar>{f.x * U.lin.x, f.y * U.lin.y, f.z * U.lin.z,
                           f.x * U.lin.y, f.x * U.lin.z, f.y * U.lin.z};
  a.J = a.J - Sym3<Scalar>{m.x * U.ang.x, m.y * U.ang.y, m.z * U.ang.z,
                           m.x * U.ang.y, m.x * U.ang.z, m.y * U.ang.z};
  a.H = a.H - Mat3<Scalar>::from_rows(f.x * U.ang, f.y * U.ang, f.z * U.ang);
  a.bias += {u * f, u * m};
  return !some(D <= Scalar(0));
}

/// Computes the acceleration along s, adds it to the acceleration `a` of the link, and returns it.
template <class Axis, class Scalar>
Scalar release_along(const Axis& s, const Scalar* factor, Vec6<Scalar>& a) {
  const Scalar x =
      factor[6] - dot(Vec3<Scalar>::from(factor), a.lin) - dot(Vec3<Scalar>::from(factor + 3), a.ang);
  add_along(s, x, a);
  return x;
}

}  // namespace torsor::detail
