#pragma once

#include "torsor/model/recursions.hpp"

namespace torsor::sim {

/// exp and dexp_inv of a rotation in one pass over their series: q exp(xi) and dexp_inv(xi) v. The quaternion
/// keeps its length to rounding and is not normalised: stages of a step are not carried on.
inline void chart_point(SO3<>*, const double* q, const double* xi, const double* v, double* q_next,
                        double* xi_rate) {
  using spatial::Vec3;
  const auto x = Vec3<double>::from(xi), w = Vec3<double>::from(v);
  const auto [cosine, sinc, d] =
      series::coefficients<series::HalfCos, series::HalfSinc, series::D>(dot(x, x));
  const auto xw = cross(x, w);
  (w + 0.5 * xw + d * cross(x, xw)).to(xi_rate);
  const auto u = Vec3<double>::from(q);  // q x, which does not wait for the series
  (cosine * u + sinc * (q[3] * x + cross(u, x))).to(q_next);
  q_next[3] = cosine * q[3] - sinc * dot(u, x);
}

inline void chart_point(SE3<>*, const double* q, const double* xi, const double* v, double* q_next,
                        double* xi_rate) {
  const auto tangent = detail::tangent<SE3<>>(xi);
  (SE3<>::from(q) * SE3<>::exp(tangent)).to(q_next);
  Eigen::Map<SE3<>::Tangent>{xi_rate} = SE3<>::dexp_inv(tangent, detail::tangent<SE3<>>(v));
}

/// The same for all joints of a tree.
inline void chart_point(const Model& model, const double* q, const double* xi, const double* v,
                        double* q_next, double* xi_rate) {
  detail::for_each_part<double>(
      model,
      [&](int at, int k) {
        q_next[at] = q[at] + xi[k];
        xi_rate[k] = v[k];
      },
      [&]<class G>(G* group, int at, int k) {
        chart_point(group, q + at, xi + k, v + k, q_next + at, xi_rate + k);
      });
}

}  // namespace torsor::sim
