#pragma once

#include <numbers>

#include "torsor/lie/group_base.hpp"
#include "torsor/lie/hat.hpp"
#include "torsor/lie/lie_group.hpp"
#include "torsor/lie/series.hpp"

namespace torsor {

/// Rotations of space, as unit quaternions; q and -q are the same rotation. With W the skew matrix of w, t =
/// |w|:
///
///   exp w = I + a W + b W^2                dexp(w) = I - b W + c W^2 = dexp(-w)^T
///   dexp_inv(w) = I + W/2 + d W^2          cay w = (I - W/2)^-1 (I + W/2)
///
/// (coefficients: series.hpp). log has an angle in [0, pi]; at pi either of the two logarithms is returned.
/// dexp_inv is singular at t = 2 pi, cay_inv at a rotation by pi. Iserles, Munthe-Kaas, Norsett, Zanna,
/// Lie-group methods, Acta Numerica 9 (2000), appendix B.
template <class S = double>
class SO3 : public GroupBase<SO3<S>, S, 3> {
  using Base = GroupBase<SO3<S>, S, 3>;

 public:
  using typename Base::Square;
  using typename Base::Tangent;
  using Point = Vector<S, 3>;
  static constexpr int nq = 4, matrix_size = 3;

  SO3() : SO3(Point::Constant(S(0)), S(1)) {}
  static SO3 identity() { return {}; }
  /// From a quaternion whose length is 1 to rounding; normalized() restores any other.
  static SO3 from_wxyz(const S& w, const S& x, const S& y, const S& z) { return {Point(x, y, z), w}; }
  /// From four stored numbers x y z w.
  static SO3 from(const S* q) { return {Point(q[0], q[1], q[2]), q[3]}; }
  void to(S* q) const { q[0] = v_[0], q[1] = v_[1], q[2] = v_[2], q[3] = w_; }
  static SO3 from_matrix(const Square& R);

  const S& w() const { return w_; }
  const S& x() const { return v_[0]; }
  const S& y() const { return v_[1]; }
  const S& z() const { return v_[2]; }
  const Point& vec() const { return v_; }
  Square matrix() const { return skew_polynomial(v_, S(S(2) * w_), S(2)); }

  SO3 operator*(const SO3& g) const {
    return {w_ * g.v_ + g.w_ * v_ + cross(v_, g.v_),
            w_ * g.w_ - (v_[0] * g.v_[0] + v_[1] * g.v_[1] + v_[2] * g.v_[2])};
  }
  Point operator*(const Point& p) const { return apply_skew_polynomial(v_, S(S(2) * w_), S(2), p); }
  SO3 inverse() const { return {-v_, w_}; }
  SO3 normalized() const {
    const S scale = S(1) / torsor::sqrt(squared_norm());
    return {scale * v_, scale * w_};
  }
  /// | |q| - 1 |.
  S defect() const { return torsor::abs(S(torsor::sqrt(squared_norm()) - S(1))); }

  static SO3 exp(const Tangent& w) {
    const auto [cosine, sinc] = series::coefficients<series::HalfCos, series::HalfSinc>(squared(w));
    return {sinc * w, cosine};
  }
  Tangent log() const { return logarithm().w; }
  /// The rotation vector together with the coefficient d at its angle, which comes nearly for free.
  struct Logarithm {
    Tangent w;
    S d;
  };
  Logarithm logarithm() const;
  static SO3 cay(const Tangent& w) { return SO3(S(0.5) * w, S(1)).normalized(); }
  Tangent cay_inv() const { return (S(2) / w_) * v_; }

  Square Ad() const { return matrix(); }
  Tangent Ad(const Tangent& u) const { return *this * u; }
  Tangent Ad_transpose(const Tangent& p) const { return inverse() * p; }
  static Square ad(const Tangent& w) { return skew(w); }
  static Tangent ad(const Tangent& w, const Tangent& u) { return cross(w, u); }
  static Tangent ad_transpose(const Tangent& w, const Tangent& p) { return cross(p, w); }

  static Square dexp(const Tangent& w) {
    const auto [b, c] = series::coefficients<series::B, series::C>(squared(w));
    return skew_polynomial(w, S(-b), c);
  }
  static Tangent dexp(const Tangent& w, const Tangent& u) {
    const auto [b, c] = series::coefficients<series::B, series::C>(squared(w));
    return apply_skew_polynomial(w, S(-b), c, u);
  }
  static Square dexp_inv(const Tangent& w) {
    return skew_polynomial(w, S(0.5), series::coefficient<series::D>(squared(w)));
  }
  static Tangent dexp_inv(const Tangent& w, const Tangent& u) {
    return apply_skew_polynomial(w, S(0.5), series::coefficient<series::D>(squared(w)), u);
  }
  static Tangent dexp_transpose(const Tangent& w, const Tangent& p) { return dexp(-w, p); }
  static Tangent dexp_inv_transpose(const Tangent& w, const Tangent& p) { return dexp_inv(-w, p); }

  static Square dcay(const Tangent& w) {
    const S scale = S(4) / (S(4) + squared(w));
    return scale * (Square::Identity() - S(0.5) * skew(w));
  }
  static Tangent dcay(const Tangent& w, const Tangent& u) {
    return (S(4) / (S(4) + squared(w))) * (u - S(0.5) * cross(w, u));
  }
  static Square dcay_inv(const Tangent& w) {
    return Square::Identity() + S(0.5) * skew(w) + S(0.25) * w * w.transpose();
  }
  static Tangent dcay_inv(const Tangent& w, const Tangent& u) {
    return u + S(0.5) * cross(w, u) + (S(0.25) * dot(w, u)) * w;
  }

  static Square hat(const Tangent& w) { return skew(w); }
  static Tangent vee(const Square& W) { return unskew(W); }

 private:
  SO3(const Point& v, const S& w) : v_(v), w_(w) {}
  static S dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  static S squared(const Point& w) { return dot(w, w); }
  S squared_norm() const { return squared(v_) + w_ * w_; }

  Point v_;
  S w_;
};

/// With u = tan(t/4) = |v| / (1 + w): t = 4 atan u. A quarter of the greatest angle is pi/4, so one reduction
/// by pi/8 serves the far half, and the near half (t < pi/2) needs no square root. There, with z = u^2 and
/// atan u / u = p = 1 + z A, cot(t/2) = (1 - z) / (2 u) turns d = (1 - t/2 cot(t/2)) / t^2 into (1 - A (1 -
/// z)) / (16 p^2).
template <class S>
auto SO3<S>::logarithm() const -> Logarithm {
  const auto negative = w_ < S(0);
  const S cosine = torsor::select(negative, S(-w_), w_), one_w = S(1) + cosine;
  const S sign = torsor::select(negative, S(-1), S(1));
  const S sine2 = squared(v_), edge = S(detail::tan_pi_8 * detail::tan_pi_8) * one_w * one_w;
  const auto near = sine2 < edge;
  const S per_one_w = S(1) / one_w;
  const S z = torsor::min(sine2, edge) * per_one_w * per_one_w;
  const S slope = atan_slope<S>(z), p = S(1) + z * slope;
  const S near_scale = S(4) * per_one_w * p, near_d = (S(1) - slope * (S(1) - z)) / (S(16) * p * p);
  if (every(near)) return {(sign * near_scale) * v_, near_d};

  const S sine = torsor::sqrt(torsor::max(sine2, edge));
  const S u = (sine - one_w) / (sine + one_w), u2 = u * u;
  const S pi = constant<S>(std::numbers::pi_v<long double>);
  const S angle = torsor::min(S(pi + S(4) * u * (S(1) + u2 * atan_slope<S>(u2))), pi);
  const S scale = angle / sine;
  const S far_d = (S(1) - S(0.5) * cosine * scale) / (angle * angle);
  return {(sign * torsor::select(near, near_scale, scale)) * v_, torsor::select(near, near_d, far_d)};
}

/// The component of the quaternion that is greatest in size comes from the diagonal, the others by division
/// by it.
template <class S>
SO3<S> SO3<S>::from_matrix(const Square& R) {
  const S trace = R(0, 0) + R(1, 1) + R(2, 2);
  const S a = R(2, 1) - R(1, 2), b = R(0, 2) - R(2, 0), c = R(1, 0) - R(0, 1);
  const S f = R(2, 1) + R(1, 2), g = R(0, 2) + R(2, 0), h = R(1, 0) + R(0, 1);
  S best = trace;  // each candidate row is 4 q_i (x y z w)
  SO3 q(Point(a, b, c), S(1) + trace);
  const auto consider = [&](const S& diagonal, const Point& v, const S& w) {
    const auto better = best < diagonal;
    best = torsor::select(better, diagonal, best);
    for (int i = 0; i < 3; ++i) q.v_[i] = torsor::select(better, v[i], q.v_[i]);
    q.w_ = torsor::select(better, w, q.w_);
  };
  const S one = S(1) - trace;
  consider(R(0, 0), Point(one + S(2) * R(0, 0), h, g), a);
  consider(R(1, 1), Point(h, one + S(2) * R(1, 1), f), b);
  consider(R(2, 2), Point(g, f, one + S(2) * R(2, 2)), c);
  return q.normalized();
}

}  // namespace torsor
