#pragma once

#include "model/recursions.hpp"
#include "system/chart.hpp"
#include "torsor/lie/pack.hpp"

namespace torsor::batch {

/// A tree under constant uniform gravity, the same in all lanes, as a field (field.hpp) with the arithmetic
/// of TreeSystem and SystemField. The functions that contain its recursions are not inlined: a flattened
/// method would hold a copy of them for each stage.
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
