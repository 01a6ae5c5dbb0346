#pragma once

#include "world_kinematics.hpp"

namespace torsor::detail {

using spatial::RigidInertia;

/// The wrench at the origin of M that gives a rigid body with angular velocity w the acceleration a.lin of
/// this origin and the angular acceleration a.ang. The force is m a_c, with a_c the acceleration of the mass
/// centre.
template <class Scalar>
Vec6<Scalar> inertial_wrench(const spatial::RigidInertia<double>& body, const Vec3<Scalar>& w,
                             const Vec6<Scalar>& a) {
  const Vec3<Scalar> mc(body.mc);
  const Sym3<Scalar> J(body.J);
  return {Scalar(body.m) * a.lin + cross(a.ang, mc) + centripetal(w, mc),
          cross(mc, a.lin) + J * a.ang + cross(w, J * w)};
}

/// Converts a wrench at the origin of M, axes of M, to the origin and the axes of the parent's frame M.
template <class Scalar>
Vec6<Scalar> wrench_to_parent(const spatial::LocalMotion<Scalar>& local, const Vec6<Scalar>& wrench) {
  const Vec3<Scalar> f = local.R_PM * wrench.lin;
  return {f, local.R_PM * wrench.ang + cross(local.p_PM, f)};
}

/// Converts a composite inertia from M to the parent's frame M. The inertia about the parent's origin is
/// R J R^T + (s . p) I - (mc p^T + p mc^T + m p p^T) with mc in axes of the parent and s = 2 mc + m p.
template <class Scalar>
RigidInertia<Scalar> inertia_to_parent(const spatial::LocalMotion<Scalar>& local,
                                       const RigidInertia<Scalar>& inertia) {
  const Vec3<Scalar>& p = local.p_PM;
  const Vec3<Scalar> mc = local.R_PM * inertia.mc, s = mc + mc + inertia.m * p;
  const Scalar d = dot(s, p);
  const Sym3<Scalar> shift{d - s.x * p.x,
                           d - s.y * p.y,
                           d - s.z * p.z,
                           -(mc.x * p.y + mc.y * p.x + inertia.m * p.x * p.y),
                           -(mc.x * p.z + mc.z * p.x + inertia.m * p.x * p.z),
                           -(mc.y * p.z + mc.z * p.y + inertia.m * p.y * p.z)};
  return {inertia.m, mc + inertia.m * p, rotated(local.R_PM, inertia.J) + shift};
}

/// The inertia times s: (m s_lin + s_ang x m c; m c x s_lin + J s_ang).
template <class Scalar>
Vec6<Scalar> times(const RigidInertia<Scalar>& inertia, const Vec6<Scalar>& s) {
  return {inertia.m * s.lin + cross(s.ang, inertia.mc), cross(inertia.mc, s.lin) + inertia.J * s.ang};
}

}  // namespace torsor::detail

namespace torsor {

template <class Scalar>
void inverse_dynamics(const Model& model, InOf<Scalar> v, InOf<Scalar> a, const Loads<Scalar>& loads,
                      Workspace<Scalar>& work, OutOf<Scalar> tau) {
  if (tau.size() < model.nv()) detail::throw_too_short(model, model.nq(), tau.size());
  detail::link_accelerations(model, v, a, loads.gravity, work);
  for (int i = 0; i < model.size(); ++i) {
    work.joint_wrench[i] = detail::inertial_wrench(model.inertia[i], work.local[i].w_M, work.accel[i]);
    if (!loads.has_wrenches) continue;
    const spatial::Vec6<Scalar> load = detail::load_in_M(model, loads, work, i);
    work.joint_wrench[i].lin -= load.lin, work.joint_wrench[i].ang -= load.ang;
  }
  for (int i = model.size() - 1; i >= 0; --i) {
    const spatial::Vec6<Scalar>& wrench = work.joint_wrench[i];
    detail::with_axes(model, i, work.local[i], [&](const auto&... s) {
      int at = model.v_begin[i];
      ((tau[at++] = detail::component(wrench, s)), ...);
    });
    if (model.parent[i] != world)
      work.joint_wrench[model.parent[i]] += detail::wrench_to_parent(work.local[i], wrench);
  }
}

template <class Scalar>
void mass_matrix(const Model& model, Workspace<Scalar>& work, MatOutOf<Scalar, Eigen::Dynamic> G) {
  using spatial::Vec6;
  if (const auto size = std::min(G.rows(), G.cols()); size < model.nv())
    detail::throw_too_short(model, model.nq(), size);
  std::vector<spatial::RigidInertia<Scalar>> composite;
  composite.reserve(model.size());
  for (const auto& [m, mc, J] : model.inertia)
    composite.push_back({Scalar(m), spatial::Vec3<Scalar>(mc), spatial::Sym3<Scalar>(J)});
  G.setZero();
  for (int i = model.size() - 1; i >= 0; --i) {
    if (const int parent = model.parent[i]; parent != world) {
      const auto moved = detail::inertia_to_parent(work.local[i], composite[i]);
      auto& [m, mc, J] = composite[parent];
      m += moved.m, mc += moved.mc, J += moved.J;
    }
    detail::for_each_column(model, i, work.local[i], [&](const Vec6<Scalar>& s, int k) {
      Vec6<Scalar> wrench = detail::times(composite[i], s);
      const int row = model.v_begin[i] + k;
      for (int j = i; j != world; j = model.parent[j]) {
        detail::for_each_column(model, j, work.local[j], [&](const Vec6<Scalar>& s_j, int k_j) {
          const int column = model.v_begin[j] + k_j;
          G(row, column) = G(column, row) = detail::component(wrench, s_j);
        });
        wrench = detail::wrench_to_parent(work.local[j], wrench);
      }
    });
  }
}

}  // namespace torsor
