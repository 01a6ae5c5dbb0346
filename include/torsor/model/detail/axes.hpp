#pragma once

#include <type_traits>
#include <utility>

#include "torsor/model/workspace.hpp"

namespace torsor::detail {

using spatial::Mat3;
using spatial::Sym3;
using spatial::Vec3;
using spatial::Vec6;

/// A column of a joint's motion subspace that is a unit vector of M: 0-2 translate along x y z, 3-5 turn
/// about them. A general column is a Vec6.
template <int k>
using Unit = std::integral_constant<int, k>;

template <int k, class Scalar>
Scalar component(const Vec6<Scalar>& a, Unit<k>) {
  const Vec3<Scalar>& part = k < 3 ? a.lin : a.ang;
  return k % 3 == 0 ? part.x : k % 3 == 1 ? part.y : part.z;
}
template <class Scalar>
Scalar component(const Vec6<Scalar>& a, const Vec6<Scalar>& s) {
  return dot(a.lin, s.lin) + dot(a.ang, s.ang);
}

/// a += s x.
template <int k, class Scalar>
void add_along(Unit<k>, const Scalar& x, Vec6<Scalar>& a) {
  Vec3<Scalar>& part = k < 3 ? a.lin : a.ang;
  (k % 3 == 0 ? part.x : k % 3 == 1 ? part.y : part.z) += x;
}
template <class Scalar>
void add_along(const Vec6<Scalar>& s, const Scalar& x, Vec6<Scalar>& a) {
  a.lin += x * s.lin, a.ang += x * s.ang;
}

template <class Scalar, int k>
Vec6<Scalar> column(Unit<k> s) {
  Vec6<Scalar> out;
  add_along(s, Scalar(1), out);
  return out;
}
template <class Scalar>
Vec6<Scalar> column(const Vec6<Scalar>& s) {
  return s;
}

/// Calls f(s_0, s_1, ...) with the columns of the motion subspace of link i, in the frame M.
template <class Scalar, class F>
decltype(auto) with_axes(const Model& model, int i, const Mat3<Scalar>& R_PM, F&& f) {
  const auto from_F = [&](const Vec3<double>& axis_P) { return transpose_times(R_PM, Vec3<Scalar>(axis_P)); };
  const auto shift = [&](const Vec3<double>& axis_P) { return Vec6<Scalar>{from_F(axis_P), {}}; };
  const Mat3<double>& R_PF = model.R_PF[i];
  switch (model.kind[i]) {
    case JointKind::fixed:
      return f();
    case JointKind::revolute:
      return f(Unit<5>());
    case JointKind::prismatic:
      return f(Unit<2>());
    case JointKind::helical:
      return f(
          Vec6<Scalar>{{Scalar(0), Scalar(0), Scalar(model.pitch[i])}, {Scalar(0), Scalar(0), Scalar(1)}});
    case JointKind::cylindrical:
      return f(Unit<2>(), Unit<5>());
    case JointKind::universal:
      return f(Vec6<Scalar>{{}, from_F(R_PF.col_x())}, Unit<4>());
    case JointKind::planar:
      return f(shift(R_PF.col_x()), shift(R_PF.col_y()), Unit<5>());
    case JointKind::spherical:
      return f(Unit<3>(), Unit<4>(), Unit<5>());
    case JointKind::translation:
      return f(Unit<0>(), Unit<1>(), Unit<2>());
    case JointKind::free:
      break;
  }
  if (model.group[i] == GroupProduct::semidirect)
    return f(Unit<0>(), Unit<1>(), Unit<2>(), Unit<3>(), Unit<4>(), Unit<5>());
  return f(shift(R_PF.col_x()), shift(R_PF.col_y()), shift(R_PF.col_z()), Unit<3>(), Unit<4>(), Unit<5>());
}

}  // namespace torsor::detail
