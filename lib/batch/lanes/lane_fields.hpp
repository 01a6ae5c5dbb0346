#pragma once

#include <array>

#include "model/recursions.hpp"
#include "system/chart.hpp"
#include "system/pivoted_bodies.hpp"
#include "torsor/lie/pack.hpp"

/// Mechanisms as fields (field.hpp) over packs, one case in each lane, with the arithmetic of TreeSystem
/// and SystemField.
namespace torsor::batch {

/// One top or spherical pendulum, each lane with its own constants.
class TopLanes {
 public:
  using Scalar = Pack;
  struct Point {
    std::array<Pack, 4> q;
    Vector<Pack, 3> v;
    spatial::Vec3<Pack> g;  ///< gravity in body axes
  };
  using Tangent = Vector<Pack, 6>;
  static constexpr bool own_constants = true, has_error_norm = true;

  explicit TopLanes(const Model*) {
    set(0, {{}, {}, spatial::Sym3<double>::diagonal(1), spatial::Sym3<double>::diagonal(1), {}});
    for (int lane = 1; lane < lanes<Pack>; ++lane) copy(0, lane);
  }

  void copy(int from, int to) {
    Pack* all = numbers(body_);
    for (std::size_t i = 0; i < count; ++i) ScalarOps<Pack>::set(all[i], to, lane(all[i], from));
  }

  static constexpr int nq() { return 4; }
  static constexpr int nv() { return 3; }
  static constexpr int dim() { return 6; }
  Point point() const { return {}; }
  void refresh(Point& y) const { y.g = body_.gravity(y.q.data()); }

  void set(int lane, const mechanics::PivotedBody<double>& body) {
    const double* from = numbers(body);
    Pack* to = numbers(body_);
    for (std::size_t i = 0; i < count; ++i) ScalarOps<Pack>::set(to[i], lane, from[i]);
  }

  /// TreeSystem::error_norm at z.
  Pack error_norm(const Point& z, const Tangent& error, const Pack& length) const {
    return torsor::sqrt(body_.error_square(z.v.data(), error.data(), error.data() + 3, length));
  }

  void retract(const Point& y, const Tangent& u, Point& out) const {
    const Vector<Pack, 3> xi(u[0], u[1], u[2]);
    (SO3<Pack>::from(y.q.data()) * SO3<Pack>::exp(xi)).normalized().to(out.q.data());
    for (int i = 0; i < 3; ++i) out.v[i] = y.v[i] + u[3 + i];
    refresh(out);
  }
  void difference(const Point&, const Point&, Tangent&) const {}  // explicit methods do not call it
  void dexp(const Tangent& u, const Tangent& w, Tangent& out) const {
    const Vector<Pack, 3> xi =
        SO3<Pack>::dexp(Vector<Pack, 3>(u[0], u[1], u[2]), Vector<Pack, 3>(w[0], w[1], w[2]));
    for (int i = 0; i < 3; ++i) out[i] = xi[i], out[3 + i] = w[3 + i];
  }
  void rate(const Pack&, const Point& y, Tangent& out) const {
    for (int i = 0; i < 3; ++i) out[i] = y.v[i];
    body_.accelerate(y.g, Body::Vector::from(y.v.data()), out.data() + 3);
  }
  void chart_rate(const Pack&, const Point& y, const Tangent& u, Tangent& out) const {
    const Vector<Pack, 3> v(y.v[0] + u[3], y.v[1] + u[4], y.v[2] + u[5]);
    body_.chart_rate(y.g, u.data(), v.data(), out.data(), out.data() + 3);
  }
  void rate_from_chart(const Point& z, const Tangent&, const Tangent& u_rate, Tangent& out) const {
    for (int i = 0; i < 3; ++i) out[i] = z.v[i], out[3 + i] = u_rate[3 + i];
  }

 private:
  using Body = mechanics::PivotedBody<Pack>;
  static constexpr std::size_t count = sizeof(mechanics::PivotedBody<double>) / sizeof(double);
  static_assert(sizeof(Body) == count * sizeof(Pack));

  /// A PivotedBody consists of nothing but doubles.
  static const double* numbers(const mechanics::PivotedBody<double>& body) {
    return reinterpret_cast<const double*>(&body);
  }
  static Pack* numbers(Body& body) { return reinterpret_cast<Pack*>(&body); }
  Body body_;
};

/// A tree under constant uniform gravity, the same in all lanes. The functions that contain its recursions
/// are not inlined: a flattened method would hold a copy of them for each stage.
class TreeLanes {
 public:
  using Scalar = Pack;
  using Tangent = VecOf<Pack>;
  struct Point {
    VecOf<Pack> q, v;
  };
  static constexpr bool own_constants = false, has_error_norm = false;

  explicit TreeLanes(const Model* model)
      : model_(*model), work_(model_), loads_(model_), q_(model_.nq()), v_(model_.nv()), a_(model_.nv()) {
    Vec3 g = Vec3::Zero();
    for (const Force& force : model_.mechanism().forces)
      for (int i = 0; i < 3; ++i) g[i] += std::get<UniformGravity>(force.law).g[i](0);
    for (int i = 0; i < 3; ++i) loads_.gravity[i] = Pack(g[i]);
  }

  int nq() const { return model_.nq(); }
  int nv() const { return model_.nv(); }
  int dim() const { return 2 * model_.nv(); }
  Point point() const { return {VecOf<Pack>(nq()), VecOf<Pack>(nv())}; }
  void refresh(Point&) const {}

  [[gnu::noinline]] void retract(const Point& y, const Tangent& u, Point& out) const {
    out.q.resize(nq()), out.v.resize(nv());
    torsor::retract(model_, y.q.data(), u.data(), out.q.data());
    for (int i = 0; i < nv(); ++i) out.v[i] = y.v[i] + u[nv() + i];
  }
  void difference(const Point&, const Point&, Tangent&) const {}
  [[gnu::noinline]] void dexp(const Tangent& u, const Tangent& w, Tangent& out) const {
    out.resize(dim());
    torsor::dexp(model_, u.data(), w.data(), out.data());
    for (int i = nv(); i < dim(); ++i) out[i] = w[i];
  }
  [[gnu::noinline]] void rate(const Pack&, const Point& y, Tangent& out) const {
    out.resize(dim());
    for (int i = 0; i < nv(); ++i) out[i] = y.v[i];
    accelerate(y.q, y.v, out);
  }
  [[gnu::noinline]] void chart_rate(const Pack&, const Point& y, const Tangent& u, Tangent& out) const {
    out.resize(dim());
    for (int i = 0; i < nv(); ++i) v_[i] = y.v[i] + u[nv() + i];
    mechanics::chart_point(model_, y.q.data(), u.data(), v_.data(), q_.data(), out.data());
    accelerate(q_, v_, out);
  }
  void rate_from_chart(const Point& z, const Tangent&, const Tangent& u_rate, Tangent& out) const {
    out.resize(dim());
    for (int i = 0; i < nv(); ++i) out[i] = z.v[i], out[nv() + i] = u_rate[nv() + i];
  }

 private:
  void accelerate(const VecOf<Pack>& q, const VecOf<Pack>& v, Tangent& out) const {
    local_kinematics(model_, q, v, work_);
    forward_dynamics(model_, v, loads_, work_, a_);
    for (int i = 0; i < nv(); ++i) out[nv() + i] = a_[i];
  }

  Model model_;  ///< a copy: the model of a case does not outlive the case
  mutable Workspace<Pack> work_;
  mutable Loads<Pack> loads_;
  mutable VecOf<Pack> q_, v_, a_;
};

}  // namespace torsor::batch
