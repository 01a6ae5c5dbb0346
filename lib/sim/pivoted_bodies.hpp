#pragma once

#include <array>
#include <vector>

#include "chart.hpp"

namespace torsor::sim {

/// Bodies that each hang on the ground by a ball joint under steady uniform gravity and nothing else, tops
/// and spherical pendulums: the recursion over links shrinks to Euler's equations about the pivot,
///
///   J v' = mc x R^T g - v x J v,
///
/// whose inertia is constant, so that nothing is factorised. In the chart at q gravity is turned on by the
/// step, exp(x)^T g_0 = g_0 - a x x g_0 + b x x (x x g_0) with g_0 = R(q)^T g, whose products wait neither
/// for the series nor for a quaternion.
class PivotedBodies {
 public:
  /// Whether a model is of this kind; only then may the rest be used.
  static bool describe(const Model& model);

  explicit PivotedBodies(const Model& model);

  void acceleration(const double* q, const double* v, double* a) const {
    for (const Top& top : tops_) accelerate(top, gravity(top, q + top.q), Vector::from(v + top.v), a + top.v);
  }
  [[gnu::always_inline]] void chart_rate(const double* q, const double* xi, const double* v, double* xi_rate,
                                         double* a) {
    for (Top& top : tops_) {
      const auto x = Vector::from(xi + top.v), w = Vector::from(v + top.v),
                 g = gravity_at_start(top, q + top.q);
      const auto xg = cross(x, g), xxg = cross(x, xg), xw = cross(x, w), xxw = cross(x, xw);
      const auto [s, b, d] = series::coefficients<series::A, series::B, series::D>(dot(x, x));
      accelerate(top, g - s * xg + b * xxg, w, a + top.v);
      (w + 0.5 * xw + d * xxw).to(xi_rate + top.v);
    }
  }
  /// As TreeSystem::error_norm; lengths do not depend on the attitude.
  double error_norm(const double* v, const double* xi, const double* dv, double length) const;

 private:
  using Vector = spatial::Vec3<double>;
  struct Top {
    int q, v;
    Vector g_F;               ///< gravity in the joint frame on the ground
    spatial::Mat3<double> K;  ///< J^-1 times the skew matrix of mass times centre, axes of M
    spatial::Sym3<double> J, J_inverse;
    Vector c;                       ///< mass centre, axes of M
    std::array<double, 4> start{};  ///< where the last chart began, and gravity there
    Vector g_start{};
  };

  /// R^T g.
  static Vector gravity(const Top& top, const double* q) {
    const auto u = Vector::from(q), ug = cross(u, top.g_F);
    return top.g_F + 2. * (cross(u, ug) - q[3] * ug);
  }
  /// All stages of a step ask for the same.
  static const Vector& gravity_at_start(Top& top, const double* q) {
    auto& s = top.start;
    if (!(s[0] == q[0] && s[1] == q[1] && s[2] == q[2] && s[3] == q[3])) {
      s = {q[0], q[1], q[2], q[3]};
      top.g_start = gravity(top, q);
    }
    return top.g_start;
  }
  static void accelerate(const Top& top, const Vector& g_M, const Vector& w, double* a) {
    (top.K * g_M - top.J_inverse * cross(w, top.J * w)).to(a);
  }

  std::vector<Top> tops_;
};

}  // namespace torsor::sim
