#pragma once

#include "reversed_joint.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor {
namespace detail {

/// Throws std::invalid_argument, because vectors of these sizes are too short for the model.
[[noreturn]] void throw_too_short(const Model& model, Eigen::Index q, Eigen::Index v);

/// Moves the frame (R, p) of joint i from F to M at the coordinates q and the rates v.
template <class Scalar>
joints::RelativeMotion<Scalar> move_joint(const Model& model, int i, const Scalar* q, const Scalar* v,
                                          spatial::Mat3<Scalar>& R, spatial::Vec3<Scalar>& p) {
  const spatial::Mat3<Scalar> R_PF(model.R_PF[i]);
  R = R_PF;
  joints::JointMove<Scalar> to{R, p};
  const bool aligned = model.aligned[i];
  const joints::JointState<Scalar> at{model.group[i], model.pitch[i], R_PF, aligned, q, v};
  const auto move = [&]<class Kind>(Kind) { Kind::move(at, to); };
  if (model.moves_inversely[i]) [[unlikely]]
    with_reversed(model.kind[i], move);
  else
    with_joint(model.kind[i], move);
  return to.motion;
}

/// Sets the local motion of link i and, unless its joint is spherical, its drift and the linear velocity of M
/// relative to the parent (accel[i].lin).
template <class Scalar>
[[gnu::always_inline]] inline void move_link(const Model& model, int i, const Scalar* q, const Scalar* v,
                                             Workspace<Scalar>& work) {
  using spatial::Mat3, spatial::Vec3;
  const Scalar* const q_i = q + model.q_begin[i];
  const Scalar* const v_i = v + model.v_begin[i];
  auto& [R, p, w] = work.local[i];
  p = Vec3<Scalar>(model.p_PF[i]);
  const int parent = model.parent[i];
  if (model.kind[i] == JointKind::spherical) {  // a pure rotation, the most frequent joint of chains
    R = joints::rotation(q_i);
    if (!model.aligned[i]) R = Mat3<Scalar>(model.R_PF[i]) * R;
    w = Vec3<Scalar>::from(v_i);
    if (parent != world) w += transpose_times(R, work.local[parent].w_M);
    return;
  }
  if (model.kind[i] == JointKind::free && parent == world && model.aligned[i]) {  // a body in absolute form
    const bool direct = model.group[i] == GroupProduct::direct;
    const auto v_M = Vec3<Scalar>::from(v_i);
    R = joints::rotation(q_i + 3);
    p += Vec3<Scalar>::from(q_i);
    w = Vec3<Scalar>::from(v_i + 3);
    work.accel[i].lin = direct ? transpose_times(R, v_M) : v_M;
    work.drift[i] = {direct ? Vec3<Scalar>() : cross(w, v_M), {}};
    return;
  }
  const auto relative = move_joint(model, i, q_i, v_i, R, p);
  w = relative.velocity.ang;
  work.accel[i].lin = relative.velocity.lin;
  work.drift[i] = relative.drift;
  if (parent == world) return;
  const Vec3<Scalar> w_P = transpose_times(R, work.local[parent].w_M);
  work.drift[i] += {Scalar(2) * cross(w_P, relative.velocity.lin), cross(w_P, relative.velocity.ang)};
  w += w_P;
}

}  // namespace detail

template <class Scalar>
void local_kinematics(const Model& model, InOf<Scalar> q, InOf<Scalar> v, Workspace<Scalar>& work) {
  if (q.size() < model.nq() || v.size() < model.nv()) detail::throw_too_short(model, q.size(), v.size());
  for (int i = 0; i < model.size(); ++i) detail::move_link(model, i, q.data(), v.data(), work);
}

}  // namespace torsor
