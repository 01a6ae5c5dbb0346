#pragma once

#include "torsor/lie/se3.hpp"
#include "torsor/lie/so2.hpp"

/// Linear actions of groups on R^n, for SemidirectProduct. semidirect_product.hpp has the meaning of each
/// function.
namespace torsor {

/// rho(R) = R on each of several vectors of R^3 that stand one after the other.
struct RotatedVectors {
  template <class S, int n>
  static Vector<S, n> act(const SO3<S>& R, const Vector<S, n>& x) {
    return each<S, n>([&](int i) { return R * part(x, i); });
  }
  template <class S, int n>
  static Vector<S, n> act_transpose(const SO3<S>& R, const Vector<S, n>& f) {
    return act(R.inverse(), f);
  }
  template <class S, int n>
  static Vector<S, n> rate(const Vector<S, 3>& w, const Vector<S, n>& x) {
    return each<S, n>([&](int i) { return cross(w, part(x, i)); });
  }
  template <class S, int n>
  static Vector<S, n> rate_transpose(const Vector<S, 3>& w, const Vector<S, n>& f) {
    return each<S, n>([&](int i) { return cross(part(f, i), w); });
  }
  template <class S, int n>
  static Vector<S, 3> moment(const Vector<S, n>& x, const Vector<S, n>& f) {
    Vector<S, 3> sum = Vector<S, 3>::Constant(S(0));
    for (int i = 0; i < n / 3; ++i) sum += cross(part(x, i), part(f, i));
    return sum;
  }
  template <class S, int n>
  static Vector<S, n> integral(const Vector<S, 3>& w, const Vector<S, n>& x) {
    return each<S, n>([&](int i) { return SO3<S>::dexp_right(w, part(x, i)); });
  }
  template <class S, int n>
  static Vector<S, n> integral_inverse(const Vector<S, 3>& w, const Vector<S, n>& x) {
    return each<S, n>([&](int i) { return SO3<S>::dexp_inv_right(w, part(x, i)); });
  }

 private:
  template <class S, int n>
  static Vector<S, 3> part(const Vector<S, n>& x, int i) {
    return {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
  }
  template <class S, int n, class F>
  static Vector<S, n> each(const F& f) {
    static_assert(n % 3 == 0);
    Vector<S, n> x;
    for (int i = 0; i < n / 3; ++i) x.template segment<3>(3 * i) = f(i);
    return x;
  }
};

/// rho(R) = R on the plane.
struct RotatedPlane {
  template <class S>
  using X = Vector<S, 2>;
  template <class S>
  using W = Vector<S, 1>;
  template <class S>
  static X<S> act(const SO2<S>& R, const X<S>& x) {
    return R * x;
  }
  template <class S>
  static X<S> act_transpose(const SO2<S>& R, const X<S>& f) {
    return R.inverse() * f;
  }
  template <class S>
  static X<S> rate(const W<S>& w, const X<S>& x) {
    return {-w[0] * x[1], w[0] * x[0]};
  }
  template <class S>
  static X<S> rate_transpose(const W<S>& w, const X<S>& f) {
    return {w[0] * f[1], -w[0] * f[0]};
  }
  template <class S>
  static W<S> moment(const X<S>& x, const X<S>& f) {
    return W<S>(x[0] * f[1] - x[1] * f[0]);
  }
  template <class S>
  static X<S> integral(const W<S>& w, const X<S>& x) {
    const auto [a, b] = series::coefficients<series::A, series::B>(S(w[0] * w[0]));
    return {a * x[0] - b * w[0] * x[1], b * w[0] * x[0] + a * x[1]};
  }
  template <class S>
  static X<S> integral_inverse(const W<S>& w, const X<S>& x) {
    const S half = S(0.5) * w[0], along = S(1) - w[0] * w[0] * series::coefficient<series::D>(S(w[0] * w[0]));
    return {along * x[0] + half * x[1], along * x[1] - half * x[0]};
  }
};

/// The homogeneous Galilean group: a boost u and a rotation R act on an event (p, t) as (R p + u t, t).
/// rho(u, R) is the 4 x 4 matrix of SE(3). J(a; w)(p, t) = (J(w) p + t (1/2 + c W + q2 W^2) a, t), with the
/// coefficients of detail/series_terms.hpp.
struct BoostedEvents {
  template <class S>
  using X = Vector<S, 4>;
  template <class S>
  static X<S> act(const SE3<S>& boost, const X<S>& x) {
    return event<S>(boost.R * place(x) + x[3] * boost.p, x[3]);
  }
  template <class S>
  static X<S> act_transpose(const SE3<S>& boost, const X<S>& f) {
    const Vector<S, 3> force = place(f);
    return event<S>(boost.R.inverse() * force,
                    boost.p[0] * f[0] + boost.p[1] * f[1] + boost.p[2] * f[2] + f[3]);
  }
  template <class S>
  static X<S> rate(const Vector<S, 6>& xi, const X<S>& x) {
    return event<S>(cross(turn(xi), place(x)) + x[3] * boost(xi), S(0));
  }
  template <class S>
  static X<S> rate_transpose(const Vector<S, 6>& xi, const X<S>& f) {
    return event<S>(cross(place(f), turn(xi)), xi[0] * f[0] + xi[1] * f[1] + xi[2] * f[2]);
  }
  template <class S>
  static Vector<S, 6> moment(const X<S>& x, const X<S>& f) {
    Vector<S, 6> m;
    m << x[3] * place(f), cross(place(x), place(f));
    return m;
  }
  template <class S>
  static X<S> integral(const Vector<S, 6>& xi, const X<S>& x) {
    return event<S>(SO3<S>::dexp_right(turn(xi), place(x)) + x[3] * drift(xi), x[3]);
  }
  template <class S>
  static X<S> integral_inverse(const Vector<S, 6>& xi, const X<S>& x) {
    return event<S>(SO3<S>::dexp_inv_right(turn(xi), Vector<S, 3>(place(x) - x[3] * drift(xi))), x[3]);
  }

 private:
  template <class S>
  static Vector<S, 3> place(const X<S>& x) {
    return {x[0], x[1], x[2]};
  }
  template <class S>
  static Vector<S, 3> boost(const Vector<S, 6>& xi) {
    return {xi[0], xi[1], xi[2]};
  }
  template <class S>
  static Vector<S, 3> turn(const Vector<S, 6>& xi) {
    return {xi[3], xi[4], xi[5]};
  }
  template <class S>
  static X<S> event(const Vector<S, 3>& p, const S& t) {
    return {p[0], p[1], p[2], t};
  }
  /// int_0^1 (1 - s) exp(s W) a ds.
  template <class S>
  static Vector<S, 3> drift(const Vector<S, 6>& xi) {
    const Vector<S, 3> w = turn(xi), once = cross(w, boost(xi));
    const auto [c, q2] =
        series::coefficients<series::C, series::Q2>(S(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    return S(0.5) * boost(xi) + c * once + q2 * cross(w, once);
  }
};

}  // namespace torsor
