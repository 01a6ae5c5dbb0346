#pragma once

#include <vector>

#include "chart.hpp"

namespace torsor::sim {

/// Bodies that each hang on the ground by a ball joint under steady uniform gravity and nothing else, tops
/// and spherical pendulums: the recursion over links shrinks to Euler's equations about the pivot,
///
///   J v' = mc x R^T g - v x J v,
///
/// whose inertia is constant, so that nothing is factorised. In the chart exp and dexp_inv share their
/// series.
class PivotedBodies {
 public:
  /// Whether a model is of this kind; only then may the rest be used.
  static bool describe(const Model& model);

  explicit PivotedBodies(const Model& model);

  void acceleration(const double* q, const double* v, double* a) const {
    for (const Top& top : tops_) accelerate(top, q + top.q, v + top.v, a + top.v);
  }
  void chart_rate(const double* q, const double* xi, const double* v, double* xi_rate, double* a) const {
    for (const Top& top : tops_) {
      double q_now[4];
      chart_point(static_cast<SO3<>*>(nullptr), q + top.q, xi + top.v, v + top.v, q_now, xi_rate + top.v);
      accelerate(top, q_now, v + top.v, a + top.v);
    }
  }

 private:
  struct Top {
    int q, v;
    spatial::Vec3<double> g_F,
        mc;  ///< gravity in the joint frame on the ground; mass times centre, axes of M
    spatial::Sym3<double> J, J_inverse;
  };

  static void accelerate(const Top& top, const double* q, const double* v, double* a) {
    using spatial::Vec3;
    const auto u = Vec3<double>::from(q), w = Vec3<double>::from(v);
    const auto ug = cross(u, top.g_F);
    const auto g_M = top.g_F + 2. * (cross(u, ug) - q[3] * ug);  // R^T g
    (top.J_inverse * (cross(top.mc, g_M) - cross(w, top.J * w))).to(a);
  }

  std::vector<Top> tops_;
};

}  // namespace torsor::sim
