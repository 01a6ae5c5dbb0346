#pragma once

#include "torsor/lie/detail/linear_actions.hpp"
#include "torsor/lie/dual.hpp"
#include "torsor/lie/rn.hpp"

namespace torsor {

/// The semi-direct product of the translations of R^n with a group G that acts on R^n linearly by rho,
///
///   g = (p, h),   (p, h)(p', h') = (p + rho(h) p', h h').
///
/// Tangent (m; w), m in R^n and w in the algebra of G. L(w) = drho(w) is the matrix of the action of w. With
/// J(w) = int_0^1 rho(exp(s w)) ds = sum_k L(w)^k / (k + 1)! and J'(w; y) its derivative along y:
///
///   exp(m; w)       = (J(w) m, exp w)
///   Ad(m; w)        = (rho(h) m - L(Ad_h w) p; Ad_h w)
///   ad(m; w)(k; y)  = (L(w) k - L(y) m; ad_w y)
///   dexp(m; w)(k; y) = (J(-w) k + rho(exp(-w)) J'(w; y) m; dexp_w y)
///
/// J' is computed with dual numbers. `Action` has these static functions over any scalar, x and f in R^n:
///
///   act(h, x), act_transpose(h, f)      rho(h) x, rho(h)^T f
///   rate(w, x), rate_transpose(w, f)    L(w) x, L(w)^T f
///   moment(x, f)                        the covector of G with moment(x, f) . w = f . L(w) x
///   integral(w, x), integral_inverse    J(w) x, J(w)^-1 x
///
/// Actions that this header includes: RotatedVectors, RotatedPlane, BoostedEvents. examples/own_group.cpp
/// defines another one. SE(2) and SE(3) have closed forms, which are faster (se2.hpp, se3.hpp).
template <class N, class G, class Action>
class SemidirectProduct
    : public GroupBase<SemidirectProduct<N, G, Action>, typename G::Scalar, N::dof + G::dof> {
  using S = typename G::Scalar;
  using Base = GroupBase<SemidirectProduct<N, G, Action>, S, N::dof + G::dof>;
  static_assert(std::same_as<typename N::Scalar, S>, "the factors of a product share one scalar");
  static constexpr int n = N::dof;
  using Turn = typename G::Tangent;

 public:
  using typename Base::Square;
  using typename Base::Tangent;
  using Point = Vector<S, n>;
  template <class T>  ///< the same group over another scalar
  using Over = SemidirectProduct<typename N::template Over<T>, typename G::template Over<T>, Action>;
  static constexpr int nq = n + G::nq, matrix_size = n + 1;

  Point p = Point::Constant(S(0));
  G h;

  SemidirectProduct() = default;
  SemidirectProduct(const Point& displacement, const G& acting) : p(displacement), h(acting) {}
  static SemidirectProduct identity() { return {}; }
  /// From the stored numbers: p, then h.
  static SemidirectProduct from(const S* q) {
    SemidirectProduct g;
    for (int i = 0; i < n; ++i) g.p[i] = q[i];
    g.h = G::from(q + n);
    return g;
  }
  void to(S* q) const {
    for (int i = 0; i < n; ++i) q[i] = p[i];
    h.to(q + n);
  }
  /// [rho(h) p; 0 1].
  Matrix<S, matrix_size> matrix() const {
    Matrix<S, matrix_size> M = Matrix<S, matrix_size>::Constant(S(0));
    for (int j = 0; j < n; ++j) M.col(j).template head<n>() = Action::act(h, unit_point(j));
    M.col(n).template head<n>() = p;
    M(n, n) = S(1);
    return M;
  }
  /// [L(w) m; 0 0].
  static Matrix<S, matrix_size> hat(const Tangent& xi) {
    Matrix<S, matrix_size> M = Matrix<S, matrix_size>::Constant(S(0));
    for (int j = 0; j < n; ++j) M.col(j).template head<n>() = Action::rate(turn(xi), unit_point(j));
    M.col(n).template head<n>() = shift(xi);
    return M;
  }

  SemidirectProduct operator*(const SemidirectProduct& g) const {
    return {Point(p + Action::act(h, g.p)), h * g.h};
  }
  Point operator*(const Point& point) const { return p + Action::act(h, point); }
  SemidirectProduct inverse() const {
    const G back = h.inverse();
    return {Point(-Action::act(back, p)), back};
  }
  SemidirectProduct normalized() const { return {p, h.normalized()}; }
  SemidirectProduct renormalized() const { return {p, torsor::renormalized(h)}; }
  S defect() const { return h.defect(); }

  static SemidirectProduct exp(const Tangent& xi) {
    const Turn w = turn(xi);
    return {Action::integral(w, shift(xi)), G::exp(w)};
  }
  Tangent log() const {
    const Turn w = h.log();
    return join(Action::integral_inverse(w, p), w);
  }

  Tangent Ad(const Tangent& xi) const {
    const Turn w = h.Ad(turn(xi));
    return join(Action::act(h, shift(xi)) - Action::rate(w, p), w);
  }
  Tangent Ad_transpose(const Tangent& f) const {
    return join(Action::act_transpose(h, shift(f)),
                h.Ad_transpose(Turn(turn(f) - Action::moment(p, shift(f)))));
  }
  static Tangent ad(const Tangent& xi, const Tangent& eta) {
    return join(Action::rate(turn(xi), shift(eta)) - Action::rate(turn(eta), shift(xi)),
                G::ad(turn(xi), turn(eta)));
  }
  static Tangent ad_transpose(const Tangent& xi, const Tangent& f) {
    return join(Action::rate_transpose(turn(xi), shift(f)),
                G::ad_transpose(turn(xi), turn(f)) - Action::moment(shift(xi), shift(f)));
  }
  static Tangent dexp(const Tangent& xi, const Tangent& eta) {
    const Turn w = turn(xi), back = -w;
    const Point turned = Action::act(G::exp(back), integral_rate(w, turn(eta), shift(xi)));
    return join(Action::integral(back, shift(eta)) + turned, G::dexp(w, turn(eta)));
  }
  static Tangent dexp_inv(const Tangent& xi, const Tangent& eta) {
    const Turn w = turn(xi), back = -w, y = G::dexp_inv(w, turn(eta));
    const Point turned = Action::act(G::exp(back), integral_rate(w, y, shift(xi)));
    return join(Action::integral_inverse(back, Point(shift(eta) - turned)), y);
  }

  Square Ad() const {
    return Base::matrix_of([&](const Tangent& xi) { return Ad(xi); });
  }
  static Square ad(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return ad(xi, eta); });
  }
  static Square dexp(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return dexp(xi, eta); });
  }
  static Square dexp_inv(const Tangent& xi) {
    return Base::matrix_of([&](const Tangent& eta) { return dexp_inv(xi, eta); });
  }
  static Tangent dexp_transpose(const Tangent& xi, const Tangent& f) { return dexp(xi).transpose() * f; }
  static Tangent dexp_inv_transpose(const Tangent& xi, const Tangent& f) {
    return dexp_inv(xi).transpose() * f;
  }

 private:
  static Point shift(const Tangent& xi) { return xi.template head<n>(); }
  static Turn turn(const Tangent& xi) { return xi.template tail<G::dof>(); }
  static Tangent join(const Point& m, const Turn& w) {
    Tangent xi;
    xi << m, w;
    return xi;
  }
  static Point unit_point(int j) {
    Point e = Point::Constant(S(0));
    e[j] = S(1);
    return e;
  }
  /// J'(w; y) x.
  static Point integral_rate(const Turn& w, const Turn& y, const Point& x) {
    Vector<Dual<S>, G::dof> moving;
    for (int i = 0; i < G::dof; ++i) moving[i] = {w[i], y[i]};
    Vector<Dual<S>, n> still;
    for (int i = 0; i < n; ++i) still[i] = Dual<S>(x[i]);
    const Vector<Dual<S>, n> moved = Action::integral(moving, still);
    Point rate;
    for (int i = 0; i < n; ++i) rate[i] = moved[i].derivative;
    return rate;
  }
};

/// Extended poses of inertial navigation, SE_2(3): p = (x, v) and h = R, position, velocity and attitude.
/// g^-1 g' = (R^T x', R^T v'; omega). Barrau and Bonnabel, IEEE Trans. Autom. Control 62 (2017) 1797-1812.
template <class S = double>
using SE23 = SemidirectProduct<Rn<6, S>, SO3<S>, RotatedVectors>;

/// The Galilean group SGal(3): p = (x, t) and h = (v, R), position and time, velocity and attitude.
/// g^-1 g' = (R^T (x' - v t'), t'; R^T v', omega).
template <class S = double>
using SGal3 = SemidirectProduct<Rn<4, S>, SE3<S>, BoostedEvents>;

}  // namespace torsor
