#include "body_space.hpp"

#include "model/detail/inverse_dynamics.hpp"

namespace torsor {
namespace {

using Vec3d = spatial::Vec3<double>;
using Vec6d = spatial::Vec6<double>;
using Mat3d = spatial::Mat3<double>;

Vec6d part(VecIn all, int link) {
  return {Vec3d::from(all.data() + 6 * link), Vec3d::from(all.data() + 6 * link + 3)};
}

/// The vector from the mass centre of a link to the origin of its frame M, world axes.
Vec3d to_M(const Workspace<double>& work, int link) { return work.p_WM[link] - Vec3d(work.p_WB[link]); }

/// The twist of a rigid body at the point that lies `arm` away from the point of `twist`.
Vec6d seen_from(const Vec6d& twist, const Vec3d& arm) {
  return {twist.lin + cross(twist.ang, arm), twist.ang};
}

Vec6d in_M(const Workspace<double>& work, int link, const Vec6d& a) {
  const auto& R = work.R_WM[link];
  return {transpose_times(R, a.lin), transpose_times(R, a.ang)};
}
Vec6d in_world(const Workspace<double>& work, int link, const Vec6d& a) {
  return {work.R_WM[link] * a.lin, work.R_WM[link] * a.ang};
}

/// Adds to W, with a sign, the wrench that acts on the body of a link at a point `arm` from its mass centre.
void add(const Vec6d& wrench, const Vec3d& arm, double sign, int link, VecOut W) {
  const Vec3d moment = wrench.ang + cross(arm, wrench.lin);
  W.segment<3>(6 * link) += sign * wrench.lin.eigen();
  W.segment<3>(6 * link + 3) += sign * moment.eigen();
}

/// Whether the inboard joint is a free joint to the ground, as for every rigid body in absolute form. The
/// joint velocities are then the velocity of the origin of M and the angular velocity of the link.
bool moves_freely(const Model& model, int link) {
  return model.kind[link] == JointKind::free && model.parent[link] == world;
}
/// Axes of the linear velocity of such a joint: those of M (semidirect product), or those of F on the ground
/// (direct product).
const Mat3d& linear_axes(const Model& model, const Workspace<double>& work, int link) {
  return model.group[link] == GroupProduct::semidirect ? work.R_WM[link] : model.R_PF[link];
}

/// joint_forces on `count` links, link(0) < link(1) < ..., with their parents. Wrenches act on these links
/// only.
template <class Link>
void joint_forces_of(const Model& model, const Workspace<double>& work, VecIn W, int count, const Link& link,
                     VecOut tau) {
  auto& at_M = work.joint_sum;
  for (int k = 0; k < count; ++k) {
    const int i = link(k);
    const Vec6d wrench = part(W, i);
    const Vec3d arm = -to_M(work, i);
    at_M[i] = in_M(work, i, {wrench.lin, wrench.ang + cross(arm, wrench.lin)});
  }
  for (int k = count - 1; k >= 0; --k) {
    const int i = link(k);
    if (moves_freely(model, i)) {
      Vec3d force = at_M[i].lin;
      if (model.group[i] == GroupProduct::direct)
        force = transpose_times(model.R_PF[i], work.R_WM[i] * force);
      force.to(tau.data() + model.v_begin[i]);
      at_M[i].ang.to(tau.data() + model.v_begin[i] + 3);
      continue;
    }
    detail::for_each_column(model, i, work.local[i], [&](const Vec6d& s, int column) {
      tau[model.v_begin[i] + column] = detail::component(at_M[i], s);
    });
    if (model.parent[i] != world) at_M[model.parent[i]] += detail::wrench_to_parent(work.local[i], at_M[i]);
  }
}

/// The velocity-dependent part of the acceleration of link i (work.accel) and of its mass centre (the
/// result). The part of its parent must be known.
[[gnu::always_inline]] inline Vec6d bias_of_body(const Model& model, Workspace<double>& work, VecIn v,
                                                 int i) {
  const int parent = model.parent[i];
  Vec6d of_M;
  if (moves_freely(model, i))
    of_M = work.drift[i];  // the ground does not accelerate
  else
    of_M = detail::acceleration_bias(model, work, i, v.data() + model.v_begin[i],
                                     parent == world ? Vec6d() : work.accel[parent]);
  work.accel[i] = of_M;
  return detail::acceleration_of_centre(model, work, i, of_M);
}

/// Sets the velocities w of the joint of link i from the velocities V of the link and of its parent.
[[gnu::always_inline]] inline void joint_from_bodies(const Model& model, const Workspace<double>& work,
                                                     VecIn V, int i, VecOut w) {
  Vec6d relative = part(V, i);
  if (!model.centred[i]) relative = seen_from(relative, to_M(work, i));
  if (moves_freely(model, i)) {
    transpose_times(linear_axes(model, work, i), relative.lin).to(w.data() + model.v_begin[i]);
    transpose_times(work.R_WM[i], relative.ang).to(w.data() + model.v_begin[i] + 3);
    return;
  }
  if (const int parent = model.parent[i]; parent != world) {
    const Vec6d carried = seen_from(part(V, parent), work.p_WM[i] - Vec3d(work.p_WB[parent]));
    relative.lin -= carried.lin, relative.ang -= carried.ang;
  }
  relative = in_M(work, i, relative);
  // The columns of a motion subspace are orthogonal (torsor/model/detail/joints/joint.hpp).
  detail::for_each_column(model, i, work.local[i], [&](const Vec6d& s, int k) {
    w[model.v_begin[i] + k] = detail::component(relative, s) / detail::component(s, s);
  });
}

}  // namespace

void bodies_from_joints(const Model& model, const Workspace<double>& work, VecIn w, VecOut V) {
  for (int i = 0; i < model.size(); ++i) {
    const double* const w_i = w.data() + model.v_begin[i];
    Vec6d at_M;
    if (moves_freely(model, i))
      at_M = {linear_axes(model, work, i) * Vec3d::from(w_i), work.R_WM[i] * Vec3d::from(w_i + 3)};
    else
      at_M = in_world(work, i, detail::relative_velocity(model, i, work.local[i], w_i));
    if (const int parent = model.parent[i]; parent != world)
      at_M += seen_from(part(V, parent), work.p_WM[i] - Vec3d(work.p_WB[parent]));
    const Vec6d centre = model.centred[i] ? at_M : seen_from(at_M, -to_M(work, i));
    centre.lin.to(V.data() + 6 * i), centre.ang.to(V.data() + 6 * i + 3);
  }
}

void acceleration_bias(const Model& model, Workspace<double>& work, VecIn v, VecOut out) {
  for (int i = 0; i < model.size(); ++i) {
    const Vec6d bias = bias_of_body(model, work, v, i);
    bias.lin.to(out.data() + 6 * i), bias.ang.to(out.data() + 6 * i + 3);
  }
}

void joint_accelerations(const Model& model, Workspace<double>& work, VecIn v, VecOut V, VecOut a) {
  for (int i = 0; i < model.size(); ++i) {
    const Vec6d bias = bias_of_body(model, work, v, i), total = part(V, i);
    (total.lin - bias.lin).to(V.data() + 6 * i), (total.ang - bias.ang).to(V.data() + 6 * i + 3);
    joint_from_bodies(model, work, V, i, a);
  }
}

void joints_from_bodies(const Model& model, const Workspace<double>& work, VecIn V, VecOut w) {
  for (int i = 0; i < model.size(); ++i) joint_from_bodies(model, work, V, i, w);
}

void joint_forces(const Model& model, const Workspace<double>& work, VecIn W, VecOut tau) {
  joint_forces_of(
      model, work, W, model.size(), [](int k) { return k; }, tau);
}

void joint_forces(const Model& model, const Workspace<double>& work, VecIn W, const std::vector<int>& links,
                  VecOut tau) {
  joint_forces_of(
      model, work, W, static_cast<int>(links.size()), [&](int k) { return links[k]; }, tau);
}

void add_wrenches_of(const Model& model, const Workspace<double>& work, VecIn tau, VecOut W) {
  for (int i = 0; i < model.size(); ++i) {
    Vec6d wrench;
    if (moves_freely(model, i)) {
      const double* const tau_i = tau.data() + model.v_begin[i];
      wrench = {linear_axes(model, work, i) * Vec3d::from(tau_i), work.R_WM[i] * Vec3d::from(tau_i + 3)};
      add(wrench, to_M(work, i), 1, i, W);
      continue;
    }
    detail::for_each_column(model, i, work.local[i], [&](const Vec6d& s, int k) {
      detail::add_along(s, tau[model.v_begin[i] + k] / detail::component(s, s), wrench);
    });
    wrench = in_world(work, i, wrench);
    add(wrench, to_M(work, i), 1, i, W);
    if (const int parent = model.parent[i]; parent != world)
      add(wrench, work.p_WM[i] - Vec3d(work.p_WB[parent]), -1, parent, W);
  }
}

}  // namespace torsor
