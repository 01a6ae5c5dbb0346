#pragma once

#include "torsor/lie/detail/twist_parts.hpp"
#include "torsor/lie/so3.hpp"

namespace torsor {

/// Rigid motions of space, the semi-direct product: g = (p, R), (p1, R1)(p2, R2) = (p1 + R1 p2, R1 R2). As a
/// pose X_AB, R takes components in B to components in A and p is the origin of B in A. Tangent (v; w): the
/// velocity of p and the angular velocity, both in axes of B. With W the skew matrix of w, t = |w|,
/// J = I + bW + cW^2, mu = v.w and A the matrix of ad:
///
///   exp(v; w) = (J v, exp w)
///   dexp     = I - b A + c A^2 + mu [0 U; 0 0],  U = -(b'/t) W + (c'/t) W^2,  b' = db/dt
///   dexp_inv = I + A/2 + d A^2 + mu (d'/t) [0 W^2; 0 0]
///
/// The blocks off the diagonal are derivatives of those of SO(3) along v, which gives the terms in mu
/// (coefficients: detail/series_terms.hpp). The same maps in other forms: Bullo and Murray, Proportional
/// derivative control on the Euclidean group (1995); Selig, Geometric Fundamentals of Robotics.
template <class S = double>
class SE3 : public GroupBase<SE3<S>, S, 6>, private TwistParts<S> {
  using Base = GroupBase<SE3<S>, S, 6>;
  using TwistParts<S>::linear, TwistParts<S>::angular, TwistParts<S>::split, TwistParts<S>::join,
      TwistParts<S>::dot, TwistParts<S>::blocks, TwistParts<S>::product;

 public:
  using typename Base::Square;
  using typename Base::Tangent;
  using Point = Vector<S, 3>;
  template <class T>
  using Over = SE3<T>;  ///< the same group over another scalar
  static constexpr int nq = 7, matrix_size = 4;

  SO3<S> R;
  Point p = Point::Constant(S(0));

  SE3() = default;
  SE3(const SO3<S>& rotation, const Point& translation) : R(rotation), p(translation) {}
  static SE3 identity() { return {}; }
  /// From seven stored numbers: p, then the quaternion x y z w.
  static SE3 from(const S* q) { return {SO3<S>::from(q + 3), Point(q[0], q[1], q[2])}; }
  void to(S* q) const {
    q[0] = p[0], q[1] = p[1], q[2] = p[2];
    R.to(q + 3);
  }
  Matrix<S, 4> matrix() const {
    Matrix<S, 4> M = Matrix<S, 4>::Identity();
    M.template topLeftCorner<3, 3>() = R.matrix();
    M.template topRightCorner<3, 1>() = p;
    return M;
  }

  SE3 operator*(const SE3& g) const { return {R * g.R, p + R * g.p}; }
  Point operator*(const Point& point) const { return p + R * point; }
  SE3 inverse() const {
    const SO3<S> R_inv = R.inverse();
    return {R_inv, -(R_inv * p)};
  }
  SE3 normalized() const { return {R.normalized(), p}; }
  SE3 renormalized() const { return {R.renormalized(), p}; }
  S defect() const { return R.defect(); }

  static SE3 exp(const Tangent& xi) {
    const auto [v, w] = split(xi);
    const auto [cosine, sinc, c] =
        series::coefficients<series::HalfCos, series::HalfSinc, series::C>(dot(w, w));
    const S b = S(2) * sinc * sinc;
    return {SO3<S>::from_wxyz(cosine, sinc * w[0], sinc * w[1], sinc * w[2]),
            apply_skew_polynomial(w, b, c, v)};
  }
  Tangent log() const {
    const auto [w, d] = R.log_and_d();
    return join(apply_skew_polynomial<S>(w, S(-0.5), d, p), w);
  }
  static SE3 cay(const Tangent& xi) {
    const auto [v, w] = split(xi);
    return {SO3<S>::cay(w), half_cay(w, v)};
  }
  Tangent cay_inv() const {
    const Point w = R.cay_inv();
    return join(p - S(0.5) * cross(w, p), w);
  }

  Square Ad() const {
    const Matrix<S, 3> M = R.matrix();
    return blocks(M, skew(p) * M);
  }
  Tangent Ad(const Tangent& xi) const {
    const Point w = R * angular(xi);
    return join(R * linear(xi) + cross(p, w), w);
  }
  /// Ad^T applied to a wrench.
  Tangent Ad_transpose(const Tangent& wrench) const {
    const SO3<S> R_inv = R.inverse();
    const Point f = linear(wrench);
    return join(R_inv * f, R_inv * (angular(wrench) - cross(p, f)));
  }
  static Square ad(const Tangent& xi) { return blocks(skew(angular(xi)), skew(linear(xi))); }
  static Tangent ad(const Tangent& xi, const Tangent& eta) {
    const auto [v, w] = split(xi);
    const Point eta_w = angular(eta);
    return join(cross(w, linear(eta)) + cross(v, eta_w), cross(w, eta_w));
  }
  static Tangent ad_transpose(const Tangent& xi, const Tangent& wrench) {
    const auto [v, w] = split(xi);
    const Point f = linear(wrench);
    return join(cross(f, w), cross(f, v) + cross(angular(wrench), w));
  }

  static Tangent dexp(const Tangent& xi, const Tangent& eta) { return apply(left_tangent(xi), xi, eta); }
  static Tangent dexp_transpose(const Tangent& xi, const Tangent& f) {
    return transposed(left_tangent(xi), xi, f);
  }
  static Tangent dexp_inv(const Tangent& xi, const Tangent& eta) { return apply(left_inverse(xi), xi, eta); }
  static Tangent dexp_inv_transpose(const Tangent& xi, const Tangent& f) {
    return transposed(left_inverse(xi), xi, f);
  }
  static Square dexp(const Tangent& xi) { return assemble(left_tangent(xi), xi); }
  static Square dexp_inv(const Tangent& xi) { return assemble(left_inverse(xi), xi); }

  static Square dcay(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return dcay(xi, eta); });
  }
  static Tangent dcay(const Tangent& xi, const Tangent& rate) {
    const auto [v, w] = split(xi);
    const Point eta_w = SO3<S>::dcay(w, angular(rate)), moved = cross(v, eta_w);
    return join(half_cay(Point(-w), Point(linear(rate) - S(0.5) * moved - S(0.25) * cross(w, moved))), eta_w);
  }
  static Square dcay_inv(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return dcay_inv(xi, eta); });
  }
  /// xi' = eta + [xi, eta]/2 - xi eta xi / 4 as matrices, for the left velocity eta.
  static Tangent dcay_inv(const Tangent& xi, const Tangent& eta) {
    const auto [v, w] = split(xi);
    const Point eta_v = linear(eta), eta_w = angular(eta), moved = cross(v, eta_w);
    return join(eta_v + S(0.5) * (cross(w, eta_v) + moved) + S(0.25) * cross(w, moved),
                SO3<S>::dcay_inv(w, eta_w));
  }

  static Matrix<S, 4> hat(const Tangent& xi) {
    Matrix<S, 4> M = Matrix<S, 4>::Constant(S(0));
    M.template topLeftCorner<3, 3>() = skew(angular(xi));
    M.template topRightCorner<3, 1>() = linear(xi);
    return M;
  }
  static Tangent vee(const Matrix<S, 4>& M) {
    return join(M.template topRightCorner<3, 1>(), unskew<S>(M.template topLeftCorner<3, 3>()));
  }

 private:
  /// I + s A + t A^2 + [0 U; 0 0] with U = alpha W + beta W^2.
  struct Polynomial {
    S s, t, alpha, beta;
  };

  /// (db/dt)/t = 2 q2 - c and (dc/dt)/t = -2 q3.
  static Polynomial left_tangent(const Tangent& xi) {
    const auto [v, w] = split(xi);
    const S mu = dot(v, w);
    const auto [b, c, q2, q3] = series::coefficients<series::B, series::C, series::Q2, series::Q3>(dot(w, w));
    return {-b, c, mu * (c - S(2) * q2), S(-2) * mu * q3};
  }
  static Polynomial left_inverse(const Tangent& xi) {
    const auto [v, w] = split(xi);
    const auto [d, d1] = series::coefficients<series::D, series::D1>(dot(w, w));
    return {S(0.5), d, S(0), dot(v, w) * d1};
  }
  static Tangent apply(const Polynomial& f, const Tangent& xi, const Tangent& eta) {
    const auto [v, w] = split(xi);
    const auto [eta_v, eta_w] = split(eta);
    const Point A_w = cross(w, eta_w), AA_w = cross(w, A_w);
    const Point A_v = cross(w, eta_v) + cross(v, eta_w), AA_v = cross(w, A_v) + cross(v, A_w);
    return join(eta_v + f.s * A_v + f.t * AA_v + f.alpha * A_w + f.beta * AA_w,
                eta_w + f.s * A_w + f.t * AA_w);
  }
  /// A^T (f; m) = (f x w; f x v + m x w): the cross products have the opposite order, and the block off the
  /// diagonal moves to the second row.
  static Tangent transposed(const Polynomial& g, const Tangent& xi, const Tangent& wrench) {
    const auto [v, w] = split(xi);
    const auto [f, m] = split(wrench);
    const Point A_f = cross(f, w), AA_f = cross(A_f, w);
    const Point A_m = cross(f, v) + cross(m, w), AA_m = cross(A_f, v) + cross(A_m, w);
    return join(f + g.s * A_f + g.t * AA_f, m + g.s * A_m + g.t * AA_m + g.alpha * A_f + g.beta * AA_f);
  }
  static Square assemble(const Polynomial& f, const Tangent& xi) {
    const auto [v, w] = split(xi);
    const Matrix<S, 3> V = skew(v), W = skew(w);
    return blocks(skew_polynomial(w, f.s, f.t),
                  f.s * V + f.alpha * W + f.t * (product(W, V) + product(V, W)) + f.beta * product(W, W));
  }
  /// (I - W/2)^-1 v.
  static Point half_cay(const Point& w, const Point& v) {
    return (S(4) / (S(4) + dot(w, w))) * (v + S(0.5) * cross(w, v) + (S(0.25) * dot(w, v)) * w);
  }
};

}  // namespace torsor
