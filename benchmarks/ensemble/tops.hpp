#pragma once

#include <utility>

#include "heavy_top.hpp"
#include "torsor/integrators/field.hpp"

/// The heavy top as a field for many copies at once, over doubles and packs.
namespace bench {

using torsor::SO3, torsor::Vector, torsor::renormalized, torsor::cross, torsor::apply_skew_polynomial;
namespace series = torsor::series;

/// A point holds attitude, angular velocity and `up`: the vertical in body axes times weight over J_x, the
/// form in which the equations use the vertical. A stage then rotates this one vector and needs no
/// quaternion:
///   exp(x)^T e = e - a cross(x, e) + b cross(x, cross(x, e)),
///   a = sin t / t, b = (1 - cos t) / t^2, t = |x|.
template <class S>
struct TopPoint {
  SO3<S> q;
  Vector<S, 3> v = Vector<S, 3>::Constant(S(0)), up = vertical(q);

  static constexpr int nq = 7;
  static TopPoint from(const S* y) { return TopPoint{SO3<S>::from(y), {y[4], y[5], y[6]}}; }
  void to(S* y) const {
    q.to(y);
    y[4] = v[0], y[5] = v[1], y[6] = v[2];
  }
  static Vector<S, 3> vertical(const SO3<S>& q) {
    const S size(top_weight / top_inertia[0]), twice(2 * top_weight / top_inertia[0]);
    const S x = twice * q.x(), y = twice * q.y();
    return {x * q.z() - y * q.w(), y * q.z() + x * q.w(), size - (x * q.x() + y * q.y())};
  }
};

template <class S>
class TopField {
 public:
  using Scalar = S;
  using Point = TopPoint<S>;
  using Velocity = Vector<S, 3>;
  using Tangent = Vector<S, 6>;  ///< (xi; dv)

  static constexpr int dim() { return 6; }
  void retract(const Point& y, const Tangent& u, Point& out) const {
    out.q = renormalized(y.q * SO3<S>::exp(turn(u)));
    out.v = velocity(y, u);
    out.up = Point::vertical(out.q);
  }
  void difference(const Point& y, const Point& z, Tangent& out) const {
    put(torsor::difference(y.q, z.q), {z.v[0] - y.v[0], z.v[1] - y.v[1], z.v[2] - y.v[2]}, out);
  }
  void dexp(const Tangent& u, const Tangent& w, Tangent& out) const {
    put(SO3<S>::dexp(turn(u), turn(w)), {w[3], w[4], w[5]}, out);
  }
  void rate(const S&, const Point& y, Tangent& out) const { put(y.v, acceleration(y.up, y.v), out); }
  void chart_rate(const S&, const Point& y, const Tangent& u, Tangent& out) const {
    const Vector<S, 3> x = turn(u), w = velocity(y, u);
    const auto [a, b, d] = series::coefficients<series::A, series::B, series::D>(square(x));
    put(apply_skew_polynomial(x, S(0.5), d, w), acceleration(turned(y.up, x, a, b), w), out);
  }
  void rate_from_chart(const Point& z, const Tangent&, const Tangent& u_rate, Tangent& out) const {
    put(z.v, {u_rate[3], u_rate[4], u_rate[5]}, out);
  }
  Vector<S, 3> place(const Point& y, const Vector<S, 3>& x) const {
    const auto [a, b] = series::coefficients<series::A, series::B>(square(x));
    return turned(y.up, x, a, b);
  }
  Vector<S, 3> acceleration(const S&, const Vector<S, 3>& up, const Vector<S, 3>& w) const {
    return acceleration(up, w);
  }
  Vector<S, 3> bracket(const Vector<S, 3>& v, const Vector<S, 3>& w) const { return cross(v, w); }
  /// The same norm as MechanicalField::error_size.
  S error_size(const Point& y, const Tangent& error) const {
    S size(0), sum(0);
    for (int i = 0; i < 3; ++i) {
      const S angle = torsor::abs(error[i]);
      const S change = torsor::abs(error[3 + i]) / (torsor::abs(y.v[i]) + S(1));
      size = torsor::max(size, torsor::max(angle, change));
      sum += angle + change;
    }
    return torsor::select(sum - sum == S(0), size, sum);
  }

 private:
  static Vector<S, 3> turn(const Tangent& u) { return {u[0], u[1], u[2]}; }
  static Vector<S, 3> velocity(const Point& y, const Tangent& u) {
    return {y.v[0] + u[3], y.v[1] + u[4], y.v[2] + u[5]};
  }
  static S square(const Vector<S, 3>& x) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }
  static void put(const Vector<S, 3>& xi, const Vector<S, 3>& dv, Tangent& out) {
    out[0] = xi[0], out[1] = xi[1], out[2] = xi[2], out[3] = dv[0], out[4] = dv[1], out[5] = dv[2];
  }
  static Vector<S, 3> turned(const Vector<S, 3>& e, const Vector<S, 3>& x, const S& a, const S& b) {
    const Vector<S, 3> xe = cross(x, e), xxe = cross(x, xe);
    return {e[0] - a * xe[0] + b * xxe[0], e[1] - a * xe[1] + b * xxe[1], e[2] - a * xe[2] + b * xxe[2]};
  }
  /// The angular acceleration of top_acceleration in heavy_top.hpp, J w' = (J w) x w + e_y x f. The weight in
  /// body axes is f = -J_x up.
  static Vector<S, 3> acceleration(const Vector<S, 3>& up, const Vector<S, 3>& w) {
    const auto& J = top_inertia;
    return {S((J[1] - J[2]) / J[0]) * (w[1] * w[2]) - up[2], S((J[2] - J[0]) / J[1]) * (w[2] * w[0]),
            S((J[0] - J[1]) / J[2]) * (w[0] * w[1]) + S(J[0] / J[2]) * up[0]};
  }
};

}  // namespace bench
