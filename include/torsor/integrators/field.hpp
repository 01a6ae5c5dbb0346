#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <utility>

#include "torsor/lie/lie_group.hpp"
#include "torsor/lie/scalar.hpp"

namespace torsor {

/// A first-order field on a Lie group, y' = y f(t, y): the interface of the explicit methods. Each method is
/// written once over this concept. It works for a user's field in doubles, long doubles or packs and for the
/// run-time System.
///
///   Point, Tangent      y and a vector of its algebra (Eigen vector of fixed or of run-time size dim())
///   retract             y exp(u), renormalised to the group; y and the result must not be the same object
///   difference          log(y^-1 z)
///   dexp                left-trivialised derivative of exp at u, applied to w
///   rate                f(t, y)
///   chart_rate          the field in the exponential chart y exp(u): u' = dexp_inv(u) f(t, y exp(u))
///   rate_from_chart     f at z = y exp(u) from u' there, without evaluating the field
template <class F>
concept LieField = requires(const F& f, const typename F::Point& y, typename F::Point& y_out,
                            const typename F::Tangent& u, typename F::Tangent& out, typename F::Scalar t) {
  { f.dim() } -> std::convertible_to<int>;
  f.retract(y, u, y_out);
  f.difference(y, y, out);
  f.dexp(u, u, out);
  f.rate(t, y, out);
  f.chart_rate(t, y, u, out);
  f.rate_from_chart(y, u, u, out);
};

/// The additional operations of methods that use brackets in place of dexp_inv:
///
///   rate_at       f(t, y exp(u))
///   add_bracket   out += s [u, w]
template <class F>
concept BracketField = LieField<F> &&
    requires(const F& f, const typename F::Point& y, const typename F::Tangent& u, typename F::Tangent& out,
             typename F::Scalar t) {
  f.rate_at(t, y, u, out);
  f.add_bracket(t, u, u, out);
};

/// The additional operations of methods for mechanical systems, whose tangents are (xi; dv):
///
///   place          the data of the configuration y exp(xi) that accelerations depend on
///   acceleration   at the time t, the data that `place` returns, and a velocity
///   bracket        [v, w] of velocities
template <class F>
concept NystromField = LieField<F> &&
    requires(const F& f, const typename F::Point& y, const typename F::Velocity& v, typename F::Scalar t) {
  f.acceleration(t, f.place(y, v), v);
  f.bracket(v, v);
};

/// y' = y rate(t, y) on a group G, for any callable `rate` that returns a G::Tangent.
template <LieGroup G, class Rate>
class GroupField {
 public:
  using Scalar = typename G::Scalar;
  using Point = G;
  using Tangent = typename G::Tangent;

  explicit GroupField(Rate rate) : rate_(std::move(rate)) {}

  static constexpr int dim() { return G::dof; }
  void retract(const G& y, const Tangent& u, G& out) const { out = renormalized(y * G::exp(u)); }
  void difference(const G& y, const G& z, Tangent& out) const { out = torsor::difference(y, z); }
  void dexp(const Tangent& u, const Tangent& w, Tangent& out) const { out = G::dexp(u, w); }
  void rate(const Scalar& t, const G& y, Tangent& out) const { out = rate_(t, y); }
  void chart_rate(const Scalar& t, const G& y, const Tangent& u, Tangent& out) const {
    out = G::dexp_inv(u, rate_(t, y * G::exp(u)));
  }
  void rate_from_chart(const G&, const Tangent& u, const Tangent& u_rate, Tangent& out) const {
    out = G::dexp(u, u_rate);
  }
  void rate_at(const Scalar& t, const G& y, const Tangent& u, Tangent& out) const {
    out = rate_(t, y * G::exp(u));
  }
  void add_bracket(const Scalar& s, const Tangent& u, const Tangent& w, Tangent& out) const {
    out += s * G::ad(u, w);
  }

 private:
  Rate rate_;
};

template <class G, class Rate>
GroupField<G, Rate> group_field(Rate rate) {
  return GroupField<G, Rate>(std::move(rate));
}

/// Configuration and left-trivialised velocity of a mechanism whose configurations form the group G.
template <LieGroup G>
struct Phase {
  G q = G::identity();
  typename G::Tangent v = G::Tangent::Zero();

  static constexpr int nq = G::nq + G::dof;
  static Phase from(const typename G::Scalar* numbers) {
    return {G::from(numbers), Eigen::Map<const typename G::Tangent>(numbers + G::nq)};
  }
  void to(typename G::Scalar* numbers) const {
    q.to(numbers);
    for (int i = 0; i < G::dof; ++i) numbers[G::nq + i] = v[i];
  }
};

/// q' = q v, v' = acceleration(t, q, v): a first-order field on G x R^dof, with tangents (xi; dv).
template <LieGroup G, class Acceleration>
class MechanicalField {
 public:
  using Scalar = typename G::Scalar;
  using Point = Phase<G>;
  static constexpr int dof = G::dof;
  using Velocity = typename G::Tangent;
  using Tangent = Vector<Scalar, 2 * dof>;

  explicit MechanicalField(Acceleration acceleration) : acceleration_(std::move(acceleration)) {}

  static constexpr int dim() { return 2 * dof; }
  void retract(const Point& y, const Tangent& u, Point& out) const {
    out.q = renormalized(y.q * G::exp(xi(u)));
    each([&](auto i) { out.v[i] = y.v[i] + u[dof + i]; });
  }
  void difference(const Point& y, const Point& z, Tangent& out) const {
    out.template head<dof>() = torsor::difference(y.q, z.q);
    out.template tail<dof>() = z.v - y.v;
  }
  void dexp(const Tangent& u, const Tangent& w, Tangent& out) const {
    out.template head<dof>() = G::dexp(xi(u), xi(w));
    out.template tail<dof>() = w.template tail<dof>();
  }
  void rate(const Scalar& t, const Point& y, Tangent& out) const {
    out.template head<dof>() = y.v;
    out.template tail<dof>() = acceleration_(t, y.q, y.v);
  }
  void chart_rate(const Scalar& t, const Point& y, const Tangent& u, Tangent& out) const {
    typename G::Tangent v;
    each([&](auto i) { v[i] = y.v[i] + u[dof + i]; });
    const auto [q, xi_rate] = in_chart(y.q, xi(u), v);
    const typename G::Tangent a = acceleration_(t, q, v);
    each([&, &rate = xi_rate](auto i) { out[i] = rate[i], out[dof + i] = a[i]; });
  }
  void rate_from_chart(const Point& z, const Tangent&, const Tangent& u_rate, Tangent& out) const {
    out.template head<dof>() = z.v;
    out.template tail<dof>() = u_rate.template tail<dof>();
  }
  G place(const Point& y, const Velocity& xi) const { return y.q * G::exp(xi); }
  Velocity acceleration(const Scalar& t, const G& q, const Velocity& v) const {
    return acceleration_(t, q, v);
  }
  Velocity bracket(const Velocity& v, const Velocity& w) const { return G::ad(v, w); }
  /// The greatest of |xi_i| and |dv_i| / (1 + |v_i|), as in System::error_norm. Not finite if a component of
  /// the error is not finite.
  Scalar error_size(const Point& y, const Tangent& error) const {
    Scalar size(0), sum(0);
    for (int i = 0; i < dof; ++i) {
      const Scalar turn = torsor::abs(error[i]);
      const Scalar scale = Scalar(1) / (torsor::abs(y.v[i]) + Scalar(1));  // known before the error
      const Scalar change = scale * torsor::abs(error[dof + i]);
      size = torsor::max(size, torsor::max(turn, change));
      sum += turn + change;
    }
    return torsor::size_if_finite(size, sum);
  }

 private:
  /// component(i) for each i < dof, unrolled for the reason given in hat.hpp.
  template <class Component>
  static void each(const Component& component) {
    [&]<int... k>(std::integer_sequence<int, k...>) { (component(std::integral_constant<int, k>{}), ...); }
    (std::make_integer_sequence<int, dof>{});
  }
  static typename G::Tangent xi(const Tangent& u) {
    typename G::Tangent part;
    each([&](auto i) { part[i] = u[i]; });
    return part;
  }

  Acceleration acceleration_;
};

template <class G, class Acceleration>
MechanicalField<G, Acceleration> mechanical_field(Acceleration acceleration) {
  return MechanicalField<G, Acceleration>(std::move(acceleration));
}

}  // namespace torsor
