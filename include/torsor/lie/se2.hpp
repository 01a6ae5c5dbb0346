#pragma once

#include "torsor/lie/so2.hpp"

namespace torsor {

/// Rigid motions of the plane: g = (p, R), tangent (v; w) with the linear velocity R^T p' in the moving axes.
/// It is the subgroup of SE(3) in which v is normal to the rotation axis, so its maps are those of SE(3)
/// without the terms in v.w:
///
///   dexp = I - b A + c A^2,   dexp_inv = I + A/2 + d A^2,   A the matrix of ad
///
/// (coefficients: detail/series_terms.hpp).
template <class S = double>
class SE2 : public GroupBase<SE2<S>, S, 3> {
  using Base = GroupBase<SE2<S>, S, 3>;

 public:
  using typename Base::Square;
  using typename Base::Tangent;
  using Point = Vector<S, 2>;
  template <class T>
  using Over = SE2<T>;  ///< the same group over another scalar
  static constexpr int nq = 4, matrix_size = 3;

  SO2<S> R;
  Point p = Point::Constant(S(0));

  SE2() = default;
  SE2(const SO2<S>& rotation, const Point& translation) : R(rotation), p(translation) {}
  static SE2 identity() { return {}; }
  /// From four stored numbers: p, then cosine and sine.
  static SE2 from(const S* q) { return {SO2<S>::from(q + 2), Point(q[0], q[1])}; }
  void to(S* q) const {
    q[0] = p[0], q[1] = p[1];
    R.to(q + 2);
  }
  Matrix<S, 3> matrix() const {
    Matrix<S, 3> M = Matrix<S, 3>::Identity();
    M.template topLeftCorner<2, 2>() = R.matrix();
    M.template topRightCorner<2, 1>() = p;
    return M;
  }

  SE2 operator*(const SE2& g) const { return {R * g.R, p + R * g.p}; }
  Point operator*(const Point& point) const { return p + R * point; }
  SE2 inverse() const {
    const SO2<S> R_inv = R.inverse();
    return {R_inv, -(R_inv * p)};
  }
  SE2 normalized() const { return {R.normalized(), p}; }
  S defect() const { return R.defect(); }

  /// p = (sin w / w) v + ((1 - cos w) / w) (-v_y, v_x).
  static SE2 exp(const Tangent& xi) {
    const auto [a, b] = series::coefficients<series::A, series::B>(S(xi[2] * xi[2]));
    const S bw = b * xi[2];
    return {SO2<S>::from_angle(xi[2]), Point(a * xi[0] - bw * xi[1], bw * xi[0] + a * xi[1])};
  }
  Tangent log() const {
    const S w = R.angle(), half = S(0.5) * w;
    const S along = S(1) - w * w * series::coefficient<series::D>(S(w * w));  // w/2 cot(w/2)
    return Tangent(along * p[0] + half * p[1], along * p[1] - half * p[0], w);
  }
  static SE2 cay(const Tangent& xi) { return {SO2<S>::cay(angular(xi)), half_cay(xi[2], xi[0], xi[1])}; }
  Tangent cay_inv() const {
    const S w = R.cay_inv()[0], half = S(0.5) * w;
    return Tangent(p[0] + half * p[1], p[1] - half * p[0], w);
  }

  Square Ad() const {
    return Base::matrix_of([&](const Tangent& xi) { return Ad(xi); });
  }
  Tangent Ad(const Tangent& xi) const {
    const Point v = R * Point(xi[0], xi[1]);
    return Tangent(v[0] + p[1] * xi[2], v[1] - p[0] * xi[2], xi[2]);
  }
  Tangent Ad_transpose(const Tangent& f) const {
    const Point force = R.inverse() * Point(f[0], f[1]);
    return Tangent(force[0], force[1], f[2] + p[1] * f[0] - p[0] * f[1]);
  }
  static Square ad(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return ad(xi, eta); });
  }
  static Tangent ad(const Tangent& xi, const Tangent& eta) {
    return Tangent(xi[1] * eta[2] - xi[2] * eta[1], xi[2] * eta[0] - xi[0] * eta[2], S(0));
  }
  static Tangent ad_transpose(const Tangent& xi, const Tangent& f) {
    return Tangent(xi[2] * f[1], -xi[2] * f[0], xi[1] * f[0] - xi[0] * f[1]);
  }

  static Square dexp(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return dexp(xi, eta); });
  }
  static Tangent dexp(const Tangent& xi, const Tangent& eta) {
    const auto [b, c] = series::coefficients<series::B, series::C>(S(xi[2] * xi[2]));
    const Tangent once = ad(xi, eta);
    return eta - b * once + c * ad(xi, once);
  }
  static Tangent dexp_transpose(const Tangent& xi, const Tangent& f) {
    const auto [b, c] = series::coefficients<series::B, series::C>(S(xi[2] * xi[2]));
    const Tangent once = ad_transpose(xi, f);
    return f - b * once + c * ad_transpose(xi, once);
  }
  static Square dexp_inv(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return dexp_inv(xi, eta); });
  }
  static Tangent dexp_inv(const Tangent& xi, const Tangent& eta) {
    const Tangent once = ad(xi, eta);
    return eta + S(0.5) * once + series::coefficient<series::D>(S(xi[2] * xi[2])) * ad(xi, once);
  }
  static Tangent dexp_inv_transpose(const Tangent& xi, const Tangent& f) {
    const Tangent once = ad_transpose(xi, f);
    return f + S(0.5) * once + series::coefficient<series::D>(S(xi[2] * xi[2])) * ad_transpose(xi, once);
  }

  static Square dcay(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return dcay(xi, eta); });
  }
  static Tangent dcay(const Tangent& xi, const Tangent& rate) {
    const S turn = SO2<S>::dcay(angular(xi), angular(rate))[0], half = S(0.5) * xi[2];
    const S x = xi[1] * turn, y = -xi[0] * turn;  // v x w
    const Point v =
        half_cay(S(-xi[2]), S(rate[0] - S(0.5) * (x - half * y)), S(rate[1] - S(0.5) * (y + half * x)));
    return Tangent(v[0], v[1], turn);
  }
  static Square dcay_inv(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return dcay_inv(xi, eta); });
  }
  static Tangent dcay_inv(const Tangent& xi, const Tangent& eta) {
    const Tangent once = ad(xi, eta);
    const S x = xi[1] * eta[2], y = -xi[0] * eta[2], quarter = S(0.25) * xi[2];
    return Tangent(eta[0] + S(0.5) * once[0] - quarter * y, eta[1] + S(0.5) * once[1] + quarter * x,
                   SO2<S>::dcay_inv(angular(xi), angular(eta))[0]);
  }

  static Matrix<S, 3> hat(const Tangent& xi) {
    Matrix<S, 3> M = Matrix<S, 3>::Constant(S(0));
    M.template topLeftCorner<2, 2>() = SO2<S>::hat(angular(xi));
    M(0, 2) = xi[0], M(1, 2) = xi[1];
    return M;
  }
  static Tangent vee(const Matrix<S, 3>& M) { return Tangent(M(0, 2), M(1, 2), M(1, 0)); }

 private:
  using Turn = typename SO2<S>::Tangent;
  static Turn angular(const Tangent& xi) { return Turn(xi[2]); }
  /// (I - W/2)^-1 v.
  static Point half_cay(const S& w, const S& x, const S& y) {
    const S half = S(0.5) * w, scale = S(1) / (S(1) + half * half);
    return {scale * (x - half * y), scale * (y + half * x)};
  }
};

}  // namespace torsor
