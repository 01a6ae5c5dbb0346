#pragma once

#include <array>

#include "system/pivoted_bodies.hpp"
#include "torsor/lie/so3.hpp"

namespace torsor::mechanics {

/// A top or spherical pendulum in each lane of a Scalar, with its own constants, as a field (field.hpp) with
/// the arithmetic of TreeSystem and SystemField.
template <class S>
class TopLanes {
 public:
  using Scalar = S;
  struct Point {
    std::array<S, 4> q;
    Vector<S, 3> v;
    spatial::Vec3<S> g;  ///< gravity in body axes
  };
  using Tangent = Vector<S, 6>;
  static constexpr bool own_constants = true, has_error_norm = true;

  explicit TopLanes(const Model*) {
    set(0, {{}, {}, spatial::Sym3<double>::diagonal(1), {}});
    for (int lane = 1; lane < lanes<S>; ++lane) copy(0, lane);
  }

  void copy(int from, int to) {
    S* all = numbers(body_);
    for (std::size_t i = 0; i < count; ++i) ScalarOps<S>::set(all[i], to, lane(all[i], from));
  }

  static constexpr int nq() { return 4; }
  static constexpr int nv() { return 3; }
  static constexpr int dim() { return 6; }
  Point point() const { return {}; }
  void refresh(Point& y) const { y.g = body_.gravity(y.q.data()); }

  void set(int lane, const PivotedBody<double>& body) {
    const double* from = numbers(body);
    S* to = numbers(body_);
    for (std::size_t i = 0; i < count; ++i) ScalarOps<S>::set(to[i], lane, from[i]);
  }

  /// TreeSystem::error_norm at z.
  S error_norm(const Point& z, const Tangent& error, const S& length) const {
    return torsor::sqrt(body_.error_square(z.v.data(), error.data(), error.data() + 3, length));
  }

  void retract(const Point& y, const Tangent& u, Point& out) const {
    const Vector<S, 3> xi(u[0], u[1], u[2]);
    (SO3<S>::from(y.q.data()) * SO3<S>::exp(xi)).normalized().to(out.q.data());
    for (int i = 0; i < 3; ++i) out.v[i] = y.v[i] + u[3 + i];
    refresh(out);
  }
  void difference(const Point&, const Point&, Tangent&) const {}  // explicit methods do not call it
  void dexp(const Tangent& u, const Tangent& w, Tangent& out) const {
    const Vector<S, 3> xi = SO3<S>::dexp(Vector<S, 3>(u[0], u[1], u[2]), Vector<S, 3>(w[0], w[1], w[2]));
    for (int i = 0; i < 3; ++i) out[i] = xi[i], out[3 + i] = w[3 + i];
  }
  void rate(const S&, const Point& y, Tangent& out) const {
    for (int i = 0; i < 3; ++i) out[i] = y.v[i];
    body_.accelerate(y.g, Body::Vector::from(y.v.data()), out.data() + 3);
  }
  void chart_rate(const S&, const Point& y, const Tangent& u, Tangent& out) const {
    stage(y, u[0], u[1], u[2], u[3], u[4], u[5], out);
  }
  void rate_from_chart(const Point& z, const Tangent&, const Tangent& u_rate, Tangent& out) const {
    for (int i = 0; i < 3; ++i) out[i] = z.v[i], out[3 + i] = u_rate[3 + i];
  }

 private:
  using Body = PivotedBody<S>;

  /// chart_rate at u = (x, y, z, a, b, c). One copy for all stages: with a copy for each, the instructions of
  /// a step would not fit into the processor's cache of decoded instructions, and a step in doubles took 1.5
  /// times as long. The numbers are passed in registers.
  [[gnu::noinline, gnu::flatten]] void stage(const Point& from, S x, S y, S z, S a, S b, S c,
                                             Tangent& out) const {
    const Vector<S, 3> xi(x, y, z), v(from.v[0] + a, from.v[1] + b, from.v[2] + c);
    body_.chart_rate(from.g, xi.data(), v.data(), out.data(), out.data() + 3);
  }

  static constexpr std::size_t count = sizeof(PivotedBody<double>) / sizeof(double);
  static_assert(sizeof(Body) == count * sizeof(S));

  /// A PivotedBody consists of nothing but doubles.
  static const double* numbers(const PivotedBody<double>& body) {
    return reinterpret_cast<const double*>(&body);
  }
  static S* numbers(Body& body) { return reinterpret_cast<S*>(&body); }
  Body body_;
};

}  // namespace torsor::mechanics
