#pragma once

#include <concepts>
#include <utility>

#include "torsor/lie/detail/group_base.hpp"
#include "torsor/lie/detail/hat.hpp"
#include "torsor/lie/detail/log_series.hpp"
#include "torsor/lie/detail/series.hpp"
#include "torsor/lie/lie_group.hpp"

namespace torsor {

/// Rotations of space, as unit quaternions; q and -q are the same rotation. With W the skew matrix of w, t =
/// |w|:
///
///   exp w = I + a W + b W^2                dexp(w) = I - b W + c W^2 = dexp(-w)^T
///   dexp_inv(w) = I + W/2 + d W^2          cay w = (I - W/2)^-1 (I + W/2)
///
/// (coefficients: detail/series_terms.hpp). log has an angle in [0, pi]; at pi either of the two logarithms
/// is returned. dexp_inv is singular at t = 2 pi, cay_inv at a rotation by pi. Iserles, Munthe-Kaas, Norsett,
/// Zanna, Lie-group methods, Acta Numerica 9 (2000).
template <class S = double>
class SO3 : public GroupBase<SO3<S>, S, 3> {
  using Base = GroupBase<SO3<S>, S, 3>;

 public:
  using typename Base::Square;
  using typename Base::Tangent;
  using Point = Vector<S, 3>;
  template <class T>
  using Over = SO3<T>;  ///< the same group over another scalar
  static constexpr int nq = 4, matrix_size = 3;

  SO3() : SO3(S(0), S(0), S(0), S(1)) {}
  static SO3 identity() { return {}; }
  /// From a quaternion whose length is 1 to rounding; normalized() scales any other.
  static SO3 from_wxyz(const S& w, const S& x, const S& y, const S& z) { return {x, y, z, w}; }
  /// From four stored numbers x y z w.
  static SO3 from(const S* q) { return {q[0], q[1], q[2], q[3]}; }
  void to(S* q) const { q[0] = x_, q[1] = y_, q[2] = z_, q[3] = w_; }
  static SO3 from_matrix(const Square& R);

  const S& w() const { return w_; }
  const S& x() const { return x_; }
  const S& y() const { return y_; }
  const S& z() const { return z_; }
  Point vec() const { return {x_, y_, z_}; }
  Square matrix() const { return skew_polynomial(vec(), S(S(2) * w_), S(2)); }

  SO3 operator*(const SO3& g) const {
    return {w_ * g.x_ + g.w_ * x_ + (y_ * g.z_ - z_ * g.y_), w_ * g.y_ + g.w_ * y_ + (z_ * g.x_ - x_ * g.z_),
            w_ * g.z_ + g.w_ * z_ + (x_ * g.y_ - y_ * g.x_), w_ * g.w_ - (x_ * g.x_ + y_ * g.y_ + z_ * g.z_)};
  }
  Point operator*(const Point& p) const { return apply_skew_polynomial(vec(), S(S(2) * w_), S(2), p); }
  SO3 inverse() const { return {-x_, -y_, -z_, w_}; }
  SO3 normalized() const {
    const S scale = S(1) / torsor::sqrt(squared_norm());
    return {scale * x_, scale * y_, scale * z_, scale * w_};
  }
  /// Equals normalized() to rounding if | |q| - 1 | is below 1e-8, as after a product: it approximates |q|^-1
  /// by (3 - |q|^2) / 2, without root and quotient. In long double, which is for reference values, it calls
  /// normalized().
  SO3 renormalized() const {
    if constexpr (std::same_as<RealOf<S>, long double>) return normalized();
    const S scale = S(1.5) - S(0.5) * squared_norm();
    return {scale * x_, scale * y_, scale * z_, scale * w_};
  }
  /// | |q| - 1 |.
  S defect() const { return torsor::abs(S(torsor::sqrt(squared_norm()) - S(1))); }

  static SO3 exp(const Tangent& w) {
    const auto [cosine, sinc] = series::coefficients<series::HalfCos, series::HalfSinc>(squared(w));
    return {sinc * w[0], sinc * w[1], sinc * w[2], cosine};
  }
  Tangent log() const {
    const Hemisphere at(*this);
    return scaled(at.sign * series::log_scale(at.versine));
  }
  /// log together with the coefficient d of dexp_inv at the angle of log.
  std::pair<Tangent, S> log_and_d() const {
    const Hemisphere at(*this);
    return {scaled(at.sign * series::log_scale(at.versine)), series::log_d(at.versine)};
  }
  static SO3 cay(const Tangent& w) {
    return SO3(S(0.5) * w[0], S(0.5) * w[1], S(0.5) * w[2], S(1)).normalized();
  }
  Tangent cay_inv() const { return scaled(S(2) / w_); }

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
  /// q exp(w) = cosine q + sinc (q w), and dexp_inv(w) u. The product q w does not wait for the series.
  std::pair<SO3, Tangent> in_chart(const Tangent& w, const Tangent& u) const {
    const auto [cosine, sinc, d] =
        series::coefficients<series::HalfCos, series::HalfSinc, series::D>(squared(w));
    const S x = w_ * w[0] + (y_ * w[2] - z_ * w[1]), y = w_ * w[1] + (z_ * w[0] - x_ * w[2]);
    const S z = w_ * w[2] + (x_ * w[1] - y_ * w[0]), minus = x_ * w[0] + y_ * w[1] + z_ * w[2];
    return {SO3(cosine * x_ + sinc * x, cosine * y_ + sinc * y, cosine * z_ + sinc * z,
                cosine * w_ - sinc * minus),
            apply_skew_polynomial(w, S(0.5), d, u)};
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
  /// versine = 1 - cos(t/2) for the one of q and -q whose angle is at most pi; sign = -1 if that one is -q.
  struct Hemisphere {
    explicit Hemisphere(const SO3& q) {
      sign = torsor::select(q.w_ < S(0), S(-1), S(1));
      versine = S(1) - torsor::abs(q.w_);
    }
    S sign, versine;
  };

  SO3(const S& x, const S& y, const S& z, const S& w) : x_(x), y_(y), z_(z), w_(w) {}
  Point scaled(const S& s) const { return {s * x_, s * y_, s * z_}; }
  static S dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  static S squared(const Point& w) { return dot(w, w); }
  S squared_norm() const { return x_ * x_ + y_ * y_ + z_ * z_ + w_ * w_; }

  S x_, y_, z_, w_;
};

/// If the trace is positive, the real part of the quaternion is at least 1/2, and the other components follow
/// by a division by it. Otherwise the greatest of the other components is the divisor.
template <class S>
SO3<S> SO3<S>::from_matrix(const Square& R) {
  const S trace = R(0, 0) + R(1, 1) + R(2, 2), zero(0);
  const Point axis(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  const auto positive = trace > zero;
  const S root = torsor::sqrt(torsor::max(S(S(1) + trace), S(1)));
  const S half_inverse = S(0.5) / root;
  if (every(positive))
    return {half_inverse * axis[0], half_inverse * axis[1], half_inverse * axis[2], S(0.5) * root};

  const S xy = R(1, 0) + R(0, 1), xz = R(0, 2) + R(2, 0), yz = R(2, 1) + R(1, 2), rest = S(1) - trace;
  const S xx = rest + S(2) * R(0, 0), yy = rest + S(2) * R(1, 1), zz = rest + S(2) * R(2, 2);
  const auto x_least = xx < yy, z_best = torsor::max(xx, yy) < zz;
  const auto pick = [&](const S& x_row, const S& y_row, const S& z_row) {
    return torsor::select(z_best, z_row, torsor::select(x_least, y_row, x_row));
  };
  const S square = pick(xx, yy, zz);  // 4 q_i^2 of the greatest, at least 1
  const S scale = S(0.5) / torsor::sqrt(torsor::max(square, S(1)));
  const auto choose = [&](const S& where_positive, const S& chosen) {
    return torsor::select(positive, where_positive, S(scale * chosen));
  };
  return {choose(half_inverse * axis[0], pick(xx, xy, xz)), choose(half_inverse * axis[1], pick(xy, yy, yz)),
          choose(half_inverse * axis[2], pick(xz, yz, zz)),
          choose(S(0.5) * root, pick(axis[0], axis[1], axis[2]))};
}

}  // namespace torsor
