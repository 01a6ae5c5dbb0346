#pragma once

#include <algorithm>

#include "forward_dynamics.hpp"
#include "local_kinematics.hpp"

namespace torsor::detail {

template <class Scalar>
Vec3<Scalar> scalar_vector(const Vector<double, 3>& a) {
  return {Scalar(a[0]), Scalar(a[1]), Scalar(a[2])};
}

/// Calls f(s_k, k) for each column s_k of the motion subspace of link i.
template <class Scalar, class F>
void for_each_column(const Model& model, int i, const spatial::LocalMotion<Scalar>& local, F&& f) {
  with_axes(model, i, local, [&](const auto&... s) {
    int k = 0;
    (f(column<Scalar>(s), k++), ...);
  });
}

/// Velocity of M relative to the parent, axes of M: the columns times the rates v_i.
template <class Scalar>
Vec6<Scalar> relative_velocity(const Model& model, int i, const spatial::LocalMotion<Scalar>& local,
                               const Scalar* v_i) {
  Vec6<Scalar> out;
  with_axes(model, i, local, [&](const auto&... s) {
    int k = 0;
    (add_along(s, v_i[k++], out), ...);
  });
  return out;
}

/// The acceleration of link i, minus gravity, without the terms of the accelerations of its own joint. a_P:
/// the acceleration of the parent.
template <class Scalar>
Vec6<Scalar> acceleration_bias(const Model& model, const Workspace<Scalar>& work, int i, const Scalar* v_i,
                               const Vec6<Scalar>& a_P) {
  Vec6<Scalar> total = carried_acceleration(model, work, i, a_P);
  if (model.kind[i] == JointKind::spherical)
    total.ang += cross(work.local[i].w_M, Vec3<Scalar>::from(v_i));
  else
    total += work.drift[i];
  return total;
}

/// Writes to work.accel the accelerations of all links, minus gravity, for the joint accelerations a.
template <class Scalar>
void link_accelerations(const Model& model, InOf<Scalar> v, InOf<Scalar> a, const Vector<Scalar, 3>& gravity,
                        Workspace<Scalar>& work) {
  if (v.size() < model.nv() || a.size() < model.nv())
    throw_too_short(model, model.nq(), std::min(v.size(), a.size()));
  const Vec6<Scalar> ground{-Vec3<Scalar>(gravity), {}};
  for (int i = 0; i < model.size(); ++i) {
    const int parent = model.parent[i], at = model.v_begin[i];
    Vec6<Scalar> total =
        acceleration_bias(model, work, i, v.data() + at, parent == world ? ground : work.accel[parent]);
    total += relative_velocity(model, i, work.local[i], a.data() + at);
    work.accel[i] = total;
  }
}

/// The acceleration of the mass centre of link i, and its angular acceleration, in world axes, from the
/// acceleration of its frame M in axes of M.
template <class Scalar>
Vec6<Scalar> acceleration_of_centre(const Model& model, const Workspace<Scalar>& work, int i,
                                    const Vec6<Scalar>& of_M) {
  if (model.centred[i]) return {work.R_WM[i] * of_M.lin, work.R_WM[i] * of_M.ang};
  const auto c = scalar_vector<Scalar>(model.X_MB[i].p);
  const auto vdot = of_M.lin + cross(of_M.ang, c) + centripetal(work.local[i].w_M, c);
  return {work.R_WM[i] * vdot, work.R_WM[i] * of_M.ang};
}

/// Calls f(k, column k of the point's Jacobian) for the velocities k of every joint between the link and the
/// ground. A column is the velocity of the point and the angular velocity of the link, world axes. p: the
/// point in body axes, from the mass centre.
template <class Scalar, class F>
void for_each_column_to_root(const Model& model, const Workspace<Scalar>& work, int link,
                             const Vector<std::type_identity_t<Scalar>, 3>& p, F&& f) {
  const Vec3<Scalar> point((work.p_WB[link] + work.R_WB[link] * p).eval());
  for (int i = link; i != world; i = model.parent[i]) {
    const Vec3<Scalar> arm = point - work.p_WM[i];
    for_each_column(model, i, work.local[i], [&](const Vec6<Scalar>& s, int k) {
      const Vec3<Scalar> turn = work.R_WM[i] * s.ang;
      f(model.v_begin[i] + k, Vec6<Scalar>{work.R_WM[i] * s.lin + cross(turn, arm), turn});
    });
  }
}

}  // namespace torsor::detail

namespace torsor {

template <class Scalar>
void forward_kinematics(const Model& model, InOf<Scalar> q, InOf<Scalar> v, Workspace<Scalar>& work) {
  using spatial::Mat3, spatial::Vec3;
  if (q.size() < model.nq() || v.size() < model.nv()) detail::throw_too_short(model, q.size(), v.size());
  for (int i = 0; i < model.size(); ++i) {
    detail::move_link(model, i, q.data(), v.data(), work);
    const auto& [R, p, w] = work.local[i];
    const int parent = model.parent[i];
    // Velocity of the origin of M in axes of M. `accel` is used as scratch memory for it: move_link has
    // stored the velocity relative to the parent there, and the velocity relative to the world replaces it.
    Vec3<Scalar> v_M = model.kind[i] == JointKind::spherical ? Vec3<Scalar>() : work.accel[i].lin;
    if (parent == world) {
      work.R_WM[i] = R, work.p_WM[i] = p;
    } else {
      work.R_WM[i] = work.R_WM[parent] * R;
      work.p_WM[i] = work.p_WM[parent] + work.R_WM[parent] * p;
      v_M += transpose_times(R, work.accel[parent].lin + cross(work.local[parent].w_M, p));
    }
    work.accel[i].lin = v_M;
    const Mat3<Scalar>& R_WM = work.R_WM[i];
    work.w_WB[i] = (R_WM * w).eigen();
    if (model.centred[i]) {
      work.R_WB[i] = R_WM.eigen(), work.p_WB[i] = work.p_WM[i].eigen(), work.v_WB[i] = (R_WM * v_M).eigen();
      continue;
    }
    const auto c = detail::scalar_vector<Scalar>(model.X_MB[i].p);
    work.R_WB[i] = (R_WM * Mat3<Scalar>(model.R_MB[i])).eigen();
    work.p_WB[i] = (work.p_WM[i] + R_WM * c).eigen();
    work.v_WB[i] = (R_WM * (v_M + cross(w, c))).eigen();
  }
}

template <class Scalar>
void body_accelerations(const Model& model, InOf<Scalar> v, InOf<Scalar> a, Workspace<Scalar>& work) {
  detail::link_accelerations(model, v, a, Vector<Scalar, 3>(Vector<Scalar, 3>::Zero()), work);
  for (int i = 0; i < model.size(); ++i) {
    const spatial::Vec6<Scalar> of_centre = detail::acceleration_of_centre(model, work, i, work.accel[i]);
    work.vdot_WB[i] = of_centre.lin.eigen(), work.wdot_WB[i] = of_centre.ang.eigen();
  }
}

template <class Scalar>
void point_jacobian(const Model& model, const Workspace<Scalar>& work, int link,
                    const Vector<std::type_identity_t<Scalar>, 3>& p, MatOutOf<Scalar, 6> jacobian) {
  if (jacobian.cols() < model.nv()) detail::throw_too_short(model, model.nq(), jacobian.cols());
  jacobian.setZero();
  detail::for_each_column_to_root(model, work, link, p, [&](int at, const spatial::Vec6<Scalar>& column) {
    jacobian.col(at) << column.lin.x, column.lin.y, column.lin.z, column.ang.x, column.ang.y, column.ang.z;
  });
}

template <class Scalar>
Vector<Scalar, 6> jacobian_times(const Model& model, const Workspace<Scalar>& work, int link,
                                 const Vector<std::type_identity_t<Scalar>, 3>& p, InOf<Scalar> v) {
  if (v.size() < model.nv()) detail::throw_too_short(model, model.nq(), v.size());
  spatial::Vec6<Scalar> sum;
  detail::for_each_column_to_root(model, work, link, p, [&](int at, const spatial::Vec6<Scalar>& column) {
    detail::add_along(column, v[at], sum);
  });
  Vector<Scalar, 6> out;
  sum.lin.to(out.data()), sum.ang.to(out.data() + 3);
  return out;
}

template <class Scalar>
void add_jacobian_transpose(const Model& model, const Workspace<Scalar>& work, int link,
                            const Vector<std::type_identity_t<Scalar>, 3>& p,
                            const Vector<std::type_identity_t<Scalar>, 6>& wrench, OutOf<Scalar> tau) {
  if (tau.size() < model.nv()) detail::throw_too_short(model, model.nq(), tau.size());
  const spatial::Vec6<Scalar> f{spatial::Vec3<Scalar>::from(wrench.data()),
                                spatial::Vec3<Scalar>::from(wrench.data() + 3)};
  detail::for_each_column_to_root(model, work, link, p, [&](int at, const spatial::Vec6<Scalar>& column) {
    tau[at] += detail::component(f, column);
  });
}

}  // namespace torsor
