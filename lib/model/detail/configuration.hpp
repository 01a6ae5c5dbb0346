#pragma once

#include "torsor/lie/se3.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::detail {

/// The coordinates of a joint: numbers of a vector space, then nothing, a rotation or a pose.
enum class Rotation { none, alone, screw };  ///< R^n; R^n x SO(3); SE(3)
struct JointGroup {
  int linear;
  Rotation rotation;
};
inline JointGroup joint_group(const Model& model, int i) {
  return with_joint(model.kind[i], [&]<class Kind>(Kind) -> JointGroup {
    constexpr int n = Kind::rates.size();
    if (!Kind::quaternion) return {n, Rotation::none};
    if (n == 6 && model.group[i] == GroupProduct::semidirect) return {0, Rotation::screw};
    return {n - 3, Rotation::alone};
  });
}

/// Calls on_number(q, v) for each coordinate of a vector space and on_group(tag, q, v) for each rotation or
/// screw, where q and v are the offsets of its first stored number and velocity, and the tag is a null
/// pointer of its group type.
template <class Scalar, class OnNumber, class OnGroup>
void for_each_part(const Model& model, OnNumber&& on_number, OnGroup&& on_group) {
  for (int i = 0; i < model.size(); ++i) {
    const auto [linear, rotation] = joint_group(model, i);
    const int q = model.q_begin[i], v = model.v_begin[i];
    for (int k = 0; k < linear; ++k) on_number(q + k, v + k);
    if (rotation == Rotation::alone) on_group(static_cast<SO3<Scalar>*>(nullptr), q + linear, v + linear);
    if (rotation == Rotation::screw) on_group(static_cast<SE3<Scalar>*>(nullptr), q, v);
  }
}

template <class G>
typename G::Tangent tangent(const typename G::Scalar* data) {
  return Eigen::Map<const typename G::Tangent>(data);
}

/// out = f(xi, w) in each group, w itself in vector spaces, where f is dexp, dexp_inv or dexp_inv_transpose.
template <class Scalar, class F>
void map_tangents(const Model& model, const Scalar* xi, const Scalar* w, Scalar* out, F&& f) {
  for_each_part<Scalar>(
      model, [&](int, int v) { out[v] = w[v]; },
      [&]<class G>(G* group, int, int v) {
        Eigen::Map<typename G::Tangent>(out + v) = f(group, tangent<G>(xi + v), tangent<G>(w + v));
      });
}

}  // namespace torsor::detail

namespace torsor {

template <class Scalar>
void retract(const Model& model, const Scalar* q, const Scalar* xi, Scalar* q_next) {
  detail::for_each_part<Scalar>(
      model, [&](int at, int v) { q_next[at] = q[at] + xi[v]; },
      [&]<class G>(G*, int at, int v) {
        (G::from(q + at) * G::exp(detail::tangent<G>(xi + v))).normalized().to(q_next + at);
      });
}

template <class Scalar>
void local_difference(const Model& model, const Scalar* q, const Scalar* p, Scalar* xi) {
  detail::for_each_part<Scalar>(
      model, [&](int at, int v) { xi[v] = p[at] - q[at]; },
      [&]<class G>(G*, int at, int v) {
        Eigen::Map<typename G::Tangent>(xi + v) = (G::from(q + at).inverse() * G::from(p + at)).log();
      });
}

template <class Scalar>
void dexp(const Model& model, const Scalar* xi, const Scalar* w, Scalar* out) {
  detail::map_tangents(model, xi, w, out,
                       []<class G>(G*, const auto& x, const auto& y) { return G::dexp(x, y); });
}

template <class Scalar>
void dexp_inv(const Model& model, const Scalar* xi, const Scalar* w, Scalar* out) {
  detail::map_tangents(model, xi, w, out,
                       []<class G>(G*, const auto& x, const auto& y) { return G::dexp_inv(x, y); });
}

template <class Scalar>
void dexp_inv_transpose(const Model& model, const Scalar* xi, const Scalar* p, Scalar* out) {
  detail::map_tangents(model, xi, p, out,
                       []<class G>(G*, const auto& x, const auto& y) { return G::dexp_inv_transpose(x, y); });
}

template <class Scalar>
void ad_transpose(const Model& model, const Scalar* v, const Scalar* p, Scalar* out) {
  detail::for_each_part<Scalar>(
      model, [&](int, int i) { out[i] = Scalar(0); },
      [&]<class G>(G*, int, int i) {
        Eigen::Map<typename G::Tangent>(out + i) =
            G::ad_transpose(detail::tangent<G>(v + i), detail::tangent<G>(p + i));
      });
}

}  // namespace torsor
