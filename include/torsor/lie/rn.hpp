#pragma once

#include "torsor/lie/detail/group_base.hpp"
#include "torsor/lie/lie_group.hpp"
#include "torsor/lie/scalar.hpp"

namespace torsor {

/// Displacements of R^n under addition: exp, log and the Cayley map are the identity, ad is zero.
template <int n, class S = double>
class Rn : public GroupBase<Rn<n, S>, S, n> {
  using Base = GroupBase<Rn<n, S>, S, n>;

 public:
  using typename Base::Square;
  using typename Base::Tangent;
  using Point = Vector<S, n>;
  template <class T>
  using Over = Rn<n, T>;  ///< the same group over another scalar
  static constexpr int nq = n, matrix_size = n + 1;

  Point p = Point::Constant(S(0));

  Rn() = default;
  Rn(const Point& displacement) : p(displacement) {}
  static Rn identity() { return {}; }
  static Rn from(const S* q) {
    Rn g;
    for (int i = 0; i < n; ++i) g.p[i] = q[i];
    return g;
  }
  void to(S* q) const {
    for (int i = 0; i < n; ++i) q[i] = p[i];
  }
  Matrix<S, n + 1> matrix() const { return hat(p) + Matrix<S, n + 1>::Identity(); }

  Rn operator*(const Rn& g) const { return Point(p + g.p); }
  Point operator*(const Point& point) const { return p + point; }
  Rn inverse() const { return Point(-p); }
  Rn normalized() const { return *this; }
  S defect() const { return S(0); }

  static Rn exp(const Tangent& xi) { return xi; }
  Tangent log() const { return p; }
  static Rn cay(const Tangent& xi) { return xi; }
  Tangent cay_inv() const { return p; }

  Square Ad() const { return Square::Identity(); }
  Tangent Ad(const Tangent& xi) const { return xi; }
  Tangent Ad_transpose(const Tangent& f) const { return f; }
  static Square ad(const Tangent&) { return Square::Constant(S(0)); }
  static Tangent ad(const Tangent&, const Tangent&) { return Tangent::Constant(S(0)); }
  static Tangent ad_transpose(const Tangent&, const Tangent&) { return Tangent::Constant(S(0)); }

  static Square dexp(const Tangent&) { return Square::Identity(); }
  static Tangent dexp(const Tangent&, const Tangent& eta) { return eta; }
  static Square dexp_inv(const Tangent&) { return Square::Identity(); }
  static Tangent dexp_inv(const Tangent&, const Tangent& eta) { return eta; }
  static Tangent dexp_transpose(const Tangent&, const Tangent& f) { return f; }
  static Tangent dexp_inv_transpose(const Tangent&, const Tangent& f) { return f; }
  static Square dcay(const Tangent&) { return Square::Identity(); }
  static Tangent dcay(const Tangent&, const Tangent& eta) { return eta; }
  static Square dcay_inv(const Tangent&) { return Square::Identity(); }
  static Tangent dcay_inv(const Tangent&, const Tangent& eta) { return eta; }

  static Matrix<S, n + 1> hat(const Tangent& xi) {
    Matrix<S, n + 1> M = Matrix<S, n + 1>::Constant(S(0));
    M.template topRightCorner<n, 1>() = xi;
    return M;
  }
  static Tangent vee(const Matrix<S, n + 1>& M) { return M.template topRightCorner<n, 1>(); }
};

}  // namespace torsor
