#pragma once

#include <cmath>

#include "torsor/integrators/field.hpp"

namespace torsor::test {

/// The n-th of a sequence of numbers in (-1, 1) without a pattern.
template <class Scalar>
Scalar number(int n) {
  const double x = 0.5 + 0.6180339887498949 * n + 0.1 * std::sin(3. * n);
  return Scalar(2 * (x - std::floor(x)) - 1);
}

/// A motion on any group in which nothing commutes and nothing is constant: an anisotropic metric, a force
/// that is fixed in space (so its body components depend on q) and pulsates in time, and a damping matrix
/// that couples all velocities.
///   G v' = ad_v^T G v + Ad_q^T c(t) - D v
template <LieGroup G>
struct SampleMotion {
  using Scalar = typename G::Scalar;
  using Tangent = typename G::Tangent;

  Tangent inertia, load;
  typename G::Square damping;

  SampleMotion() {
    for (int i = 0; i < G::dof; ++i) {
      inertia[i] = Scalar(1.5) + Scalar(0.9) * number<Scalar>(i);
      load[i] = Scalar(2) * number<Scalar>(i + 20);
      for (int j = 0; j < G::dof; ++j) damping(i, j) = Scalar(0.4) * number<Scalar>(40 + i * G::dof + j);
    }
  }

  Tangent operator()(const Scalar& t, const G& q, const Tangent& v) const {
    using std::sin;
    const Scalar pulse = Scalar(1) + Scalar(0.5) * sin(Scalar(3) * t);
    const Tangent momentum = inertia.cwiseProduct(v), load_now = pulse * load;
    const Tangent force = G::ad_transpose(v, momentum) + q.Ad_transpose(load_now) - damping * v;
    return force.cwiseQuotient(inertia);
  }

  static Phase<G> start() {
    Tangent xi;
    Phase<G> x;
    for (int i = 0; i < G::dof; ++i) {
      xi[i] = Scalar(0.8) * number<Scalar>(i + 7);
      x.v[i] = Scalar(1.3) * number<Scalar>(i + 11);
    }
    x.q = G::exp(xi);
    return x;
  }
};

}  // namespace torsor::test
