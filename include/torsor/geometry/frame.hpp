#pragma once

#include "torsor/geometry/field.hpp"
#include "torsor/lie/lie_group.hpp"

namespace torsor {

/// A basis field e_1 ... e_n. Velocities v = v^i e_i are stored by their components.
///
///   dof                         n, or Eigen::Dynamic
///   size(q)                     n at run time
///   moved(q, v)                 q + e v with e^2 = 0, over dual numbers: f(moved(q, v)) carries v(f)
///   structure_coefficients(q)   c in [e_i, e_j] = c(k, i, j) e_k
///   velocity(q, v)              the velocity that a stepper uses: q' in a chart, g^-1 g' on a group
template <class F, class Point>
concept FrameAt = requires(const F& frame, const Point& q, const Vector<typename Point::Scalar, F::dof>& v) {
  { frame.size(q) } -> std::convertible_to<int>;
  frame.moved(q, v);
  frame.structure_coefficients(q);
  frame.velocity(q, v);
};

/// The coordinate vectors of a chart: e_i = d/dq^i, without brackets. On an event manifold time is the last
/// coordinate.
template <int N>
struct CoordinateFrame {
  static constexpr int dof = N;

  template <class S>
  static int size(const Vector<S, N>& q) {
    return static_cast<int>(q.size());
  }
  template <class S>
  static Vector<Dual<S>, N> moved(const Vector<S, N>& q, const Vector<S, N>& v) {
    return with_derivative(q, v);
  }
  template <class S>
  static Tensor3<S, N> structure_coefficients(const Vector<S, N>& q) {
    return Tensor3<S, N>(size(q));
  }
  template <class S>
  static Vector<S, N> velocity(const Vector<S, N>&, const Vector<S, N>& v) {
    return v;
  }
};

/// The left-invariant vectors of a group: e_i(f)(g) = d/ds f(g exp(s e_i)) at s = 0, with the group's own
/// structure coefficients. R^3 x SO(3) as Product<Rn<3>, SO3<>> is the direct product, SE3<> the semi-direct.
template <LieGroup G>
struct LeftInvariantFrame {
  static constexpr int dof = G::dof;
  template <class S>
  using Element = typename G::template Over<S>;
  template <class S>
  using Components = Vector<S, G::dof>;

  template <class Point>
  static int size(const Point&) {
    return dof;
  }
  template <class Point>
  static auto moved(const Point& g, const typename Point::Tangent& v) {
    using S = typename Point::Scalar;
    using Moved = Element<Dual<S>>;
    S stored[G::nq];
    Dual<S> still[G::nq];
    g.to(stored);
    for (int i = 0; i < G::nq; ++i) still[i] = stored[i];
    return Moved::from(still) * Moved::exp(with_derivative(Components<S>::Constant(S(0)).eval(), v));
  }
  template <class Point>
  static auto structure_coefficients(const Point&) {
    static const auto c = constants<RealOf<typename Point::Scalar>>();
    return c.template cast<typename Point::Scalar>();
  }
  template <class Point>
  static typename Point::Tangent velocity(const Point&, const typename Point::Tangent& v) {
    return v;
  }

 private:
  template <class Real>
  static Tensor3<Real, dof> constants() {
    Tensor3<Real, dof> c;
    for (int i = 0; i < dof; ++i) c.along(i) = Element<Real>::ad(Components<Real>::Unit(i));
    return c;
  }
};

}  // namespace torsor
