#pragma once

#include "model/recursions.hpp"

namespace torsor::mechanics {

/// q exp(xi) and dexp_inv(xi) v of a rotation in one pass over their series. The quaternion is not
/// normalised: its length is 1 up to rounding, and no step continues from the configuration of a stage.
template <class S>
void chart_point(SO3<S>*, const S* q, const S* xi, const S* v, S* q_next, S* xi_rate) {
  using spatial::Vec3;
  const auto x = Vec3<S>::from(xi), w = Vec3<S>::from(v);
  const auto [cosine, sinc, d] =
      series::coefficients<series::HalfCos, series::HalfSinc, series::D>(dot(x, x));
  const auto xw = cross(x, w);
  (w + S(0.5) * xw + d * cross(x, xw)).to(xi_rate);
  const auto u = Vec3<S>::from(q);  // the product q x does not depend on the series
  (cosine * u + sinc * (q[3] * x + cross(u, x))).to(q_next);
  q_next[3] = cosine * q[3] - sinc * dot(u, x);
}

template <class S>
void chart_point(SE3<S>*, const S* q, const S* xi, const S* v, S* q_next, S* xi_rate) {
  const auto tangent = detail::tangent<SE3<S>>(xi);
  (SE3<S>::from(q) * SE3<S>::exp(tangent)).to(q_next);
  Eigen::Map<typename SE3<S>::Tangent>{xi_rate} = SE3<S>::dexp_inv(tangent, detail::tangent<SE3<S>>(v));
}

/// The same for all joints of a tree.
template <class S>
void chart_point(const Model& model, const S* q, const S* xi, const S* v, S* q_next, S* xi_rate) {
  detail::for_each_part<S>(
      model,
      [&](int at, int k) {
        q_next[at] = q[at] + xi[k];
        xi_rate[k] = v[k];
      },
      [&]<class G>(G* group, int at, int k) {
        chart_point(group, q + at, xi + k, v + k, q_next + at, xi_rate + k);
      });
}

}  // namespace torsor::mechanics
