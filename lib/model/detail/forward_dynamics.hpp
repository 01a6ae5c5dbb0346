#pragma once

#include <algorithm>
#include <utility>

#include "articulated.hpp"
#include "local_kinematics.hpp"
#include "prefetch.hpp"

namespace torsor::detail {

/// External wrench on link i at the origin of M, axes of M.
template <class Scalar>
Vec6<Scalar> load_in_M(const Model& model, const Loads<Scalar>& loads, const Workspace<Scalar>& work, int i) {
  const Vec3<Scalar> f = transpose_times(work.R_WM[i], Vec3<Scalar>(loads.force[i]));
  const Vec3<Scalar> m = transpose_times(work.R_WM[i], Vec3<Scalar>(loads.torque[i]));
  const auto& p = model.X_MB[i].p;
  return {f, m + cross(Vec3<Scalar>(Scalar(p[0]), Scalar(p[1]), Scalar(p[2])), f)};
}

/// The part of link i's acceleration that follows from the acceleration `a_P` of its parent, axes of M. The
/// linear part is the acceleration of the origin of M minus gravity. The result does not contain the terms of
/// the joint's own rates and accelerations.
template <class Scalar>
[[gnu::always_inline]] inline Vec6<Scalar> carried_acceleration(const Model& model,
                                                                const Workspace<Scalar>& work, int i,
                                                                const Vec6<Scalar>& a_P) {
  const auto& [R, p, w] = work.local[i];
  const int parent = model.parent[i];
  Vec3<Scalar> at_p = a_P.lin + cross(a_P.ang, p);
  if (parent != world) at_p += centripetal(work.local[parent].w_M, p);
  return {transpose_times(R, at_p), transpose_times(R, a_P.ang)};
}

/// The backward pass of the articulated-body recursion, from leaf to root: adds to the parent of each link
/// the articulated inertia that acts through the link's joint. Links are numbered depth first, so the first
/// child of link i is link i + 1. Along a chain the inertia therefore stays in registers; only side branches
/// use memory.
template <class Scalar>
class Backward {
 public:
  Backward(const Model& model, const Loads<Scalar>& loads, Workspace<Scalar>& work)
      : model_(model), loads_(loads), work_(work) {}

  void run() {
    for (int i = model_.size() - 1; i >= 0; --i) {
      prefetch(work_.local, i - links_ahead);
      prefetch(model_.inertia, i - links_ahead);
      prefetch(work_.factor, model_.factor_begin[i] - 12 * links_ahead, 12);
      ArticulatedInertia<Scalar> a = rigid(model_.inertia[i], work_.local[i].w_M);
      if (i + 1 < model_.size() && model_.parent[i + 1] == i) a += handed_on_;
      if (model_.has_side_branch[i]) a += std::exchange(work_.branch[i], {});
      if (loads_.has_wrenches) {
        const Vec6<Scalar> load = load_in_M(model_, loads_, work_, i);
        a.bias.lin -= load.lin, a.bias.ang -= load.ang;
      }
      if (!eliminate_joint(i, a)) {
        // Each evaluation starts with zero sums.
        std::fill(work_.branch.begin(), work_.branch.end(), ArticulatedInertia<Scalar>{});
        throw_singular(model_, i);
      }
    }
  }

 private:
  Scalar* factor(int i) { return work_.factor.data() + model_.factor_begin[i]; }
  Vec3<Scalar> tau(int i, int k = 0) const {
    return loads_.has_tau ? Vec3<Scalar>::from(loads_.tau.data() + model_.v_begin[i] + k) : Vec3<Scalar>();
  }
  Vec3<Scalar> parent_rotation(int i) const { return work_.local[model_.parent[i]].w_M; }
  [[gnu::always_inline]] void add_to_parent(int i, const ArticulatedInertia<Scalar>& a) {
    if (model_.parent[i] == i - 1)
      handed_on_ = a;
    else
      work_.branch[model_.parent[i]] += a;
  }

  /// Eliminates the degrees of freedom of the joint. Returns false if the joint has no inertia to accelerate.
  [[gnu::always_inline]] bool eliminate_joint(int i, ArticulatedInertia<Scalar>& a) {
    switch (model_.kind[i]) {
      case JointKind::spherical:
        return cross_spherical(i, a);
      case JointKind::translation:
        return cross_translation(i, a);
      case JointKind::free:
        return cross_free(i, a);
      default:
        return cross_axes(i, a);
    }
  }

  [[gnu::always_inline]] bool cross_spherical(int i, const ArticulatedInertia<Scalar>& a) {
    bool positive;
    const Vec3<Scalar> torque = tau(i), free_torque = torque - a.bias.ang;
    const Factors3<Scalar> J(a.J, positive);
    const auto K = Mat3<Scalar>::from_rows(J.solve(a.H.row_x()), J.solve(a.H.row_y()),
                                           J.solve(a.H.row_z()));  // H J^-1
    store(i, K, J.solve(free_torque));
    if (model_.parent[i] == world) return positive;
    const auto& [R, p, w] = work_.local[i];
    add_to_parent(i, to_parent(R, p, parent_rotation(i), a.M - symmetric_product(K, a.H),
                               {a.bias.lin + K * free_torque, torque}));
    return positive;
  }

  [[gnu::noinline]] bool cross_translation(int i, const ArticulatedInertia<Scalar>& a) {
    bool positive;
    const Vec3<Scalar> force = tau(i), free_force = force - a.bias.lin;
    const Factors3<Scalar> M(a.M, positive);
    const auto K = Mat3<Scalar>::from_rows(M.solve(a.H.col_x()), M.solve(a.H.col_y()),
                                           M.solve(a.H.col_z()));  // H^T M^-1
    store(i, K, M.solve(free_force));
    if (model_.parent[i] == world) return positive;
    const auto& [R, p, w] = work_.local[i];
    const Sym3<Scalar> J = a.J - symmetric_product(K, transpose(a.H));
    const Vec3<Scalar> moment = a.bias.ang + K * free_force;
    add_to_parent(i, to_parent<Scalar>(R, p, {{}, {}, J, {force, moment}}));
    return positive;
  }

  /// The joint transmits only its own wrench, so the acceleration of the link follows at once and is stored.
  [[gnu::noinline]] bool cross_free(int i, const ArticulatedInertia<Scalar>& a) {
    bool mass_positive, inertia_positive;
    const auto& [R, p, w] = work_.local[i];
    Vec6<Scalar> wrench{tau(i, 0), tau(i, 3)};
    if (model_.group[i] == GroupProduct::direct)
      wrench.lin = transpose_times(R, Mat3<Scalar>(model_.R_PF[i]) * wrench.lin);
    const Factors3<Scalar> M(a.M, mass_positive);
    const auto K = Mat3<Scalar>::from_rows(M.solve(a.H.col_x()), M.solve(a.H.col_y()),
                                           M.solve(a.H.col_z()));  // H^T M^-1
    const Vec3<Scalar> f = wrench.lin - a.bias.lin;
    const Sym3<Scalar> J = a.J - symmetric_product(K, transpose(a.H));
    const Vec3<Scalar> alpha = Factors3<Scalar>(J, inertia_positive).solve(wrench.ang - a.bias.ang - K * f);
    (M.solve(f) - transpose_times(K, alpha)).to(factor(i));
    alpha.to(factor(i) + 3);
    if (model_.parent[i] != world) add_to_parent(i, to_parent<Scalar>(R, p, {{}, {}, {}, wrench}));
    return mass_positive && inertia_positive;
  }

  [[gnu::noinline]] bool cross_axes(int i, ArticulatedInertia<Scalar>& a) {
    const auto& [R, p, w] = work_.local[i];
    bool positive = true;
    with_axes(model_, i, work_.local[i], [&](const auto&... s) {
      Scalar* at = factor(i);
      int k = model_.v_begin[i];
      ((positive &= eliminate(s, loads_.has_tau ? loads_.tau[k++] : Scalar(0), a, at),
        at += axis_factor_size),
       ...);
    });
    if (model_.parent[i] == world) return positive;
    Vec6<Scalar> drift = work_.drift[i];
    drift.lin += transpose_times(R, centripetal(parent_rotation(i), p));
    a.bias += times(a, drift);
    add_to_parent(i, to_parent<Scalar>(R, p, a));
    return positive;
  }

  static Mat3<Scalar> transpose(const Mat3<Scalar>& A) {
    return Mat3<Scalar>::from_rows(A.col_x(), A.col_y(), A.col_z());
  }
  void store(int i, const Mat3<Scalar>& K, const Vec3<Scalar>& k) {
    Scalar* const at = factor(i);
    K.row_x().to(at), K.row_y().to(at + 3), K.row_z().to(at + 6), k.to(at + 9);
  }

  const Model& model_;
  const Loads<Scalar>& loads_;
  Workspace<Scalar>& work_;
  ArticulatedInertia<Scalar> handed_on_;
};

/// Computes the accelerations `a` along the columns of a motion subspace, in reverse order of elimination.
template <class Scalar>
void release_from(const Scalar*, Vec6<Scalar>&, Scalar*) {}
template <class Scalar, class Axis, class... Rest>
void release_from(const Scalar* factor, Vec6<Scalar>& total, Scalar* a, const Axis& s, const Rest&... rest) {
  release_from(factor + axis_factor_size, total, a + 1, rest...);
  *a = release_along(s, factor, total);
}

/// One step of the forward pass, from root to leaf. Computes the accelerations `a` of the joint of link i
/// from the carried acceleration `total` of the link, which becomes the full acceleration of the link.
template <class Scalar>
[[gnu::always_inline]] inline void release(const Model& model, int i, const Scalar* v,
                                           const Workspace<Scalar>& work, Vec6<Scalar>& total, Scalar* a) {
  const auto& [R, p, w] = work.local[i];
  const Scalar* const factor = work.factor.data() + model.factor_begin[i];
  const auto K_transposed = [&](const Vec3<Scalar>& x) {
    return transpose_times(Mat3<Scalar>::from_rows(Vec3<Scalar>::from(factor), Vec3<Scalar>::from(factor + 3),
                                                   Vec3<Scalar>::from(factor + 6)),
                           x);
  };
  switch (model.kind[i]) {
    case JointKind::spherical: {
      const Vec3<Scalar> alpha = Vec3<Scalar>::from(factor + 9) - K_transposed(total.lin);
      (alpha - total.ang - cross(w, Vec3<Scalar>::from(v))).to(a);
      total.ang = alpha;
      return;
    }
    case JointKind::translation: {
      const Vec3<Scalar> free = Vec3<Scalar>::from(factor + 9) - K_transposed(total.ang);
      (free - total.lin - work.drift[i].lin).to(a);
      total.lin = free;
      return;
    }
    case JointKind::free: {
      const Vec6<Scalar> free{Vec3<Scalar>::from(factor), Vec3<Scalar>::from(factor + 3)};
      Vec3<Scalar> lin = free.lin - total.lin - work.drift[i].lin;
      if (model.group[i] == GroupProduct::direct) lin = transpose_times(Mat3<Scalar>(model.R_PF[i]), R * lin);
      lin.to(a), (free.ang - total.ang - work.drift[i].ang).to(a + 3);
      total = free;
      return;
    }
    default:
      break;
  }
  total += work.drift[i];
  with_axes(model, i, work.local[i], [&](const auto&... s) { release_from(factor, total, a, s...); });
}

}  // namespace torsor::detail

namespace torsor {

template <class Scalar>
void forward_dynamics(const Model& model, InOf<Scalar> v, const Loads<Scalar>& loads, Workspace<Scalar>& work,
                      OutOf<Scalar> a) {
  if (v.size() < model.nv() || a.size() < model.nv())
    detail::throw_too_short(model, model.nq(), std::min(v.size(), a.size()));
  detail::Backward<Scalar>(model, loads, work).run();
  const spatial::Vec6<Scalar> ground{-spatial::Vec3<Scalar>(loads.gravity), {}};
  spatial::Vec6<Scalar> total;  // acceleration of the previous link
  for (int i = 0; i < model.size(); ++i) {
    detail::prefetch(work.local, i + detail::links_ahead);
    detail::prefetch(work.factor, model.factor_begin[i] + 12 * detail::links_ahead, 12);
    const int at = model.v_begin[i], parent = model.parent[i];
    total = detail::carried_acceleration(model, work, i,
                                         parent == world   ? ground
                                         : parent == i - 1 ? total
                                                           : work.accel[parent]);
    detail::release(model, i, v.data() + at, work, total, a.data() + at);
    if (model.has_side_branch[i]) work.accel[i] = total;
  }
}

template <class Scalar>
void forward_dynamics(const Model& model, InOf<Scalar> q, InOf<Scalar> v, const Loads<Scalar>& loads,
                      Workspace<Scalar>& work, OutOf<Scalar> a) {
  local_kinematics(model, q, v, work);
  forward_dynamics(model, v, loads, work, a);
}

}  // namespace torsor
