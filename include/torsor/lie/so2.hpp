#pragma once

#include "torsor/lie/detail/group_base.hpp"
#include "torsor/lie/detail/series.hpp"
#include "torsor/lie/lie_group.hpp"

namespace torsor {

/// Rotations of the plane, as unit complex numbers (cos, sin). Commutative: ad is zero and the derivative of
/// exp the identity. log lies in [-pi, pi]; the Cayley map turns by 2 atan(w/2).
template <class S = double>
class SO2 : public GroupBase<SO2<S>, S, 1> {
  using Base = GroupBase<SO2<S>, S, 1>;

 public:
  using typename Base::Square;
  using typename Base::Tangent;
  using Point = Vector<S, 2>;
  template <class T>
  using Over = SO2<T>;  ///< the same group over another scalar
  static constexpr int nq = 2, matrix_size = 2;

  SO2() = default;
  static SO2 identity() { return {}; }
  static SO2 from_angle(const S& angle) {
    const SinCos<S> at = sin_cos<S>(angle);
    return {at.cos, at.sin};
  }
  /// From cosine and sine, whose squares sum to 1 up to rounding; normalized() scales any other pair.
  static SO2 from_cos_sin(const S& cosine, const S& sine) { return {cosine, sine}; }
  /// From two stored numbers: cosine, sine.
  static SO2 from(const S* q) { return {q[0], q[1]}; }
  void to(S* q) const { q[0] = cos_, q[1] = sin_; }

  const S& cos() const { return cos_; }
  const S& sin() const { return sin_; }
  S angle() const { return arctan2<S>(sin_, cos_); }
  Matrix<S, 2> matrix() const {
    Matrix<S, 2> M;
    M(0, 0) = cos_, M(0, 1) = -sin_;
    M(1, 0) = sin_, M(1, 1) = cos_;
    return M;
  }

  SO2 operator*(const SO2& g) const { return {cos_ * g.cos_ - sin_ * g.sin_, cos_ * g.sin_ + sin_ * g.cos_}; }
  Point operator*(const Point& p) const { return {cos_ * p[0] - sin_ * p[1], sin_ * p[0] + cos_ * p[1]}; }
  SO2 inverse() const { return {cos_, -sin_}; }
  SO2 normalized() const {
    const S scale = S(1) / torsor::sqrt<S>(cos_ * cos_ + sin_ * sin_);
    return {scale * cos_, scale * sin_};
  }
  S defect() const { return torsor::abs<S>(torsor::sqrt<S>(cos_ * cos_ + sin_ * sin_) - S(1)); }

  static SO2 exp(const Tangent& w) { return from_angle(w[0]); }
  Tangent log() const { return Tangent(angle()); }
  static SO2 cay(const Tangent& w) {
    const S h2 = S(0.25) * w[0] * w[0], scale = S(1) / (S(1) + h2);
    return {scale * (S(1) - h2), scale * w[0]};
  }
  Tangent cay_inv() const { return Tangent(S(2) * sin_ / (S(1) + cos_)); }

  Square Ad() const { return Square::Identity(); }
  Tangent Ad(const Tangent& w) const { return w; }
  Tangent Ad_transpose(const Tangent& m) const { return m; }
  static Square ad(const Tangent&) { return Square::Constant(S(0)); }
  static Tangent ad(const Tangent&, const Tangent&) { return Tangent::Constant(S(0)); }
  static Tangent ad_transpose(const Tangent&, const Tangent&) { return Tangent::Constant(S(0)); }

  static Square dexp(const Tangent&) { return Square::Identity(); }
  static Tangent dexp(const Tangent&, const Tangent& u) { return u; }
  static Square dexp_inv(const Tangent&) { return Square::Identity(); }
  static Tangent dexp_inv(const Tangent&, const Tangent& u) { return u; }
  static Tangent dexp_transpose(const Tangent&, const Tangent& m) { return m; }
  static Tangent dexp_inv_transpose(const Tangent&, const Tangent& m) { return m; }
  static Square dcay(const Tangent& w) { return Square(S(1) / half_secant2(w)); }
  static Tangent dcay(const Tangent& w, const Tangent& u) { return Tangent(u[0] / half_secant2(w)); }
  static Square dcay_inv(const Tangent& w) { return Square(half_secant2(w)); }
  static Tangent dcay_inv(const Tangent& w, const Tangent& u) { return Tangent(u[0] * half_secant2(w)); }

  static Matrix<S, 2> hat(const Tangent& w) {
    Matrix<S, 2> M;
    M(0, 0) = S(0), M(0, 1) = -w[0];
    M(1, 0) = w[0], M(1, 1) = S(0);
    return M;
  }
  static Tangent vee(const Matrix<S, 2>& M) { return Tangent(M(1, 0)); }

 private:
  SO2(const S& cosine, const S& sine) : cos_(cosine), sin_(sine) {}
  static S half_secant2(const Tangent& w) { return S(1) + S(0.25) * w[0] * w[0]; }

  S cos_ = S(1), sin_ = S(0);
};

}  // namespace torsor
