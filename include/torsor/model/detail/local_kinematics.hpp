#pragma once

#include "torsor/lie/trigonometry.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor::detail {

using spatial::Mat3;
using spatial::Vec3;
using spatial::Vec6;

/// Rotation of the unit quaternion x y z w at q.
template <class Scalar>
Mat3<Scalar> rotation(const Scalar* q) {
  const Scalar x2 = q[0] + q[0], y2 = q[1] + q[1], z2 = q[2] + q[2];
  const Scalar xx = q[0] * x2, xy = q[0] * y2, xz = q[0] * z2, yy = q[1] * y2, yz = q[1] * z2, zz = q[2] * z2;
  const Scalar wx = q[3] * x2, wy = q[3] * y2, wz = q[3] * z2;
  return {Scalar(1) - (yy + zz),
          xy - wz,
          xz + wy,  //
          xy + wz,
          Scalar(1) - (xx + zz),
          yz - wx,  //
          xz - wy,
          yz + wx,
          Scalar(1) - (xx + yy)};
}

/// R Rz(angle).
template <class Scalar>
Mat3<Scalar> turned_about_z(const Mat3<Scalar>& R, const Scalar& angle) {
  const auto [s, c] = sin_cos(angle);
  return {c * R.xx + s * R.xy, c * R.xy - s * R.xx, R.xz,  //
          c * R.yx + s * R.yy, c * R.yy - s * R.yx, R.yz,  //
          c * R.zx + s * R.zy, c * R.zy - s * R.zx, R.zz};
}

/// R Rx(angle) and R Ry(angle), for universal joints.
template <class Scalar>
Mat3<Scalar> turned_about_x(const Mat3<Scalar>& R, const Scalar& angle) {
  const auto [s, c] = sin_cos(angle);
  return {R.xx, c * R.xy + s * R.xz, c * R.xz - s * R.xy,  //
          R.yx, c * R.yy + s * R.yz, c * R.yz - s * R.yy,  //
          R.zx, c * R.zy + s * R.zz, c * R.zz - s * R.zy};
}
template <class Scalar>
Mat3<Scalar> turned_about_y(const Mat3<Scalar>& R, const Scalar& angle) {
  const auto [s, c] = sin_cos(angle);
  return {c * R.xx - s * R.xz, R.xy, c * R.xz + s * R.xx,  //
          c * R.yx - s * R.yz, R.yy, c * R.yz + s * R.yx,  //
          c * R.zx - s * R.zz, R.zy, c * R.zz + s * R.zx};
}

/// Velocity of M against F and the part of its acceleration that does not come from joint accelerations when
/// the parent stands still; both in axes of M.
template <class Scalar>
struct RelativeMotion {
  Vec6<Scalar> velocity, drift;
};

/// Frame M in the parent and the relative motion, for every kind but the spherical one. With R = R_PM the
/// columns of the motion subspace that turn with the joint are columns of R^T R_PF: no second sine is needed.
template <class Scalar>
RelativeMotion<Scalar> cross_joint(JointKind kind, GroupProduct group, double pitch, const Mat3<Scalar>& R_PF,
                                   const Scalar* q, const Scalar* v, Mat3<Scalar>& R, Vec3<Scalar>& p) {
  RelativeMotion<Scalar> out;
  const auto slide = [&](const Scalar& x, const Scalar& y) { p += x * R_PF.col_x() + y * R_PF.col_y(); };
  const auto lift = [&](const Scalar& z) { p += z * R_PF.col_z(); };
  const auto linear_from_F = [&] { return transpose_times(R, R_PF * Vec3<Scalar>::from(v)); };
  R = R_PF;
  switch (kind) {
    case JointKind::fixed:
      break;
    case JointKind::revolute:
      R = turned_about_z(R_PF, q[0]);
      out.velocity.ang.z = v[0];
      break;
    case JointKind::prismatic:
      lift(q[0]);
      out.velocity.lin.z = v[0];
      break;
    case JointKind::helical:
      R = turned_about_z(R_PF, q[0]);
      lift(Scalar(pitch) * q[0]);
      out.velocity = {{Scalar(0), Scalar(0), Scalar(pitch) * v[0]}, {Scalar(0), Scalar(0), v[0]}};
      break;
    case JointKind::cylindrical:
      R = turned_about_z(R_PF, q[1]);
      lift(q[0]);
      out.velocity = {{Scalar(0), Scalar(0), v[0]}, {Scalar(0), Scalar(0), v[1]}};
      break;
    case JointKind::universal: {
      R = turned_about_y(turned_about_x(R_PF, q[0]), q[1]);
      const Vec3<Scalar> first = transpose_times(R, R_PF.col_x());  // (cos q1, 0, sin q1)
      out.velocity.ang = {v[0] * first.x, v[0] * first.y + v[1], v[0] * first.z};
      out.drift.ang = v[0] * v[1] * Vec3<Scalar>(-first.z, Scalar(0), first.x);
      break;
    }
    case JointKind::planar:
      R = turned_about_z(R_PF, q[2]);
      slide(q[0], q[1]);
      out.velocity.lin = transpose_times(R, v[0] * R_PF.col_x() + v[1] * R_PF.col_y());
      out.velocity.ang.z = v[2];
      break;
    case JointKind::spherical:
      R = R_PF * rotation(q);
      out.velocity.ang = Vec3<Scalar>::from(v);
      break;
    case JointKind::free:
      R = R_PF * rotation(q + 3);
      p += R_PF * Vec3<Scalar>::from(q);
      out.velocity.ang = Vec3<Scalar>::from(v + 3);
      if (group == GroupProduct::direct) {
        out.velocity.lin = linear_from_F();
      } else {
        out.velocity.lin = Vec3<Scalar>::from(v);
        out.drift.lin = cross(out.velocity.ang, out.velocity.lin);
      }
      break;
    case JointKind::translation:
      p += R_PF * Vec3<Scalar>::from(q);
      out.velocity.lin = Vec3<Scalar>::from(v);
      break;
  }
  return out;
}

}  // namespace torsor::detail

namespace torsor {

template <class Scalar>
void local_kinematics(const Model& model, InOf<Scalar> q, InOf<Scalar> v, Workspace<Scalar>& work) {
  using spatial::Mat3, spatial::Vec3;
  for (int i = 0; i < model.size(); ++i) {
    const Scalar* const q_i = q.data() + model.q_begin[i];
    const Scalar* const v_i = v.data() + model.v_begin[i];
    auto& [R, p, w] = work.local[i];
    p = Vec3<Scalar>(model.p_PF[i]);
    const int parent = model.parent[i];
    if (model.kind[i] == JointKind::spherical) {  // nothing but a rotation: the commonest joint of chains
      R = detail::rotation(q_i);
      if (!model.aligned[i]) R = Mat3<Scalar>(model.R_PF[i]) * R;
      w = Vec3<Scalar>::from(v_i);
      if (parent != world) w += transpose_times(R, work.local[parent].w_M);
      continue;
    }
    const auto relative = detail::cross_joint(model.kind[i], model.group[i], model.pitch[i],
                                              Mat3<Scalar>(model.R_PF[i]), q_i, v_i, R, p);
    w = relative.velocity.ang;
    work.accel[i].lin = relative.velocity.lin;
    work.drift[i] = relative.drift;
    if (parent == world) continue;
    const Vec3<Scalar> w_P = transpose_times(R, work.local[parent].w_M);
    work.drift[i] += {Scalar(2) * cross(w_P, relative.velocity.lin), cross(w_P, relative.velocity.ang)};
    w += w_P;
  }
}

}  // namespace torsor
