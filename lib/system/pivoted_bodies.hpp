#pragma once

#include <array>
#include <limits>
#include <vector>

#include "chart.hpp"
#include "torsor/lie/detail/two.hpp"

namespace torsor::mechanics {

/// The components of a, each beside that of b.
template <class S>
spatial::Vec3<Two<S>> side_by_side(const spatial::Vec3<S>& a, const spatial::Vec3<S>& b) {
  return {Two<S>{a.x, b.x}, Two<S>{a.y, b.y}, Two<S>{a.z, b.z}};
}

/// The entries of a, each beside that of b.
template <class S>
spatial::Mat3<Two<S>> side_by_side(const spatial::Mat3<S>& a, const spatial::Sym3<S>& b) {
  return spatial::Mat3<Two<S>>::from_rows(side_by_side(a.row_x(), b.row_x()),
                                          side_by_side(a.row_y(), b.row_y()),
                                          side_by_side(a.row_z(), b.row_z()));
}

/// A body attached to the ground by a spherical joint, under constant uniform gravity. The recursion over
/// links reduces to Euler's equations about the pivot,
///
///   J v' = mc x R^T g - v x J v,
///
/// in axes of M, the joint frame of the body. The vector mc is the mass times the position of the mass centre
/// relative to the pivot. The inertia J is constant, so nothing is factorised. In the exponential chart
/// q exp(xi), with g_0 = R(q)^T g, gravity in axes of M is
///
///   exp(xi)^T g_0 = g_0 - a xi x g_0 + b xi x (xi x g_0).
///
/// The cross products depend neither on the series a(xi^2) and b(xi^2) nor on a quaternion, so the processor
/// can compute products and series at the same time. The rate dexp_inv(xi) v is such a sum of products too,
/// so both are computed side by side.
template <class S>
struct PivotedBody {
  using Vector = spatial::Vec3<S>;

  /// J^-1 times the skew matrix of mass times centre, beside J^-1, axes of M.
  spatial::Mat3<Two<S>> of_gravity_and_spin;
  Vector g_F;  ///< gravity in the joint frame on the ground
  spatial::Sym3<S> J;
  Vector c;  ///< mass centre, axes of M

  /// R^T g.
  Vector gravity(const S* q) const {
    const auto u = Vector::from(q), ug = cross(u, g_F);
    return g_F + S(2) * (cross(u, ug) - q[3] * ug);
  }
  /// The angular acceleration from gravity in axes of M and the angular velocity.
  void accelerate(const Vector& g_M, const Vector& w, S* a) const {
    const auto both = of_gravity_and_spin * side_by_side(g_M, cross(w, J * w));
    Vector(both.x[0] - both.x[1], both.y[0] - both.y[1], both.z[0] - both.z[1]).to(a);
  }
  /// The square of the norm of TreeSystem::error_norm for this body; infinite if a term is not finite. It
  /// does not need q, since lengths do not depend on the attitude.
  S error_square(const S* v, const S* xi, const S* dv, const S& length) const {
    const auto square = [](const Vector& a) { return dot(a, a); };
    const auto w = Vector::from(v), turn = Vector::from(xi), change = Vector::from(dv);
    const S speed = length + torsor::sqrt(square(cross(w, c))), spin = S(1) + torsor::sqrt(square(w));
    // The next step waits for the errors, but not for the quotients.
    const S per_length2 = S(1) / (length * length), per_speed2 = S(1) / (speed * speed);
    const S per_spin2 = S(1) / (spin * spin);
    const S dx = per_length2 * square(cross(turn, c)), dR = square(turn);
    const S dv_x = per_speed2 * square(cross(change, c)), dv_R = per_spin2 * square(change);
    const S sum = dx + dR + dv_x + dv_R;
    return torsor::select(sum - sum == S(0), torsor::max(torsor::max(dx, dR), torsor::max(dv_x, dv_R)),
                          S(std::numeric_limits<double>::infinity()));
  }
  /// The field in the exponential chart; `g_start` is g_0.
  [[gnu::always_inline]] void chart_rate(const Vector& g_start, const S* xi, const S* v, S* xi_rate,
                                         S* a) const {
    const auto x = Vector::from(xi), w = Vector::from(v);
    const auto [b, d, s] = series::coefficients<series::B, series::D, series::A>(dot(x, x));
    const auto both = side_by_side(x, x), y = side_by_side(g_start, w);
    const auto xy = cross(both, y), xxy = cross(both, xy);
    const auto moved = y + Two<S>{-s, S(0.5)} * xy + Two<S>{b, d} * xxy;
    accelerate({moved.x[0], moved.y[0], moved.z[0]}, w, a);
    Vector{moved.x[1], moved.y[1], moved.z[1]}.to(xi_rate);
  }
};

/// A model that consists only of bodies such as PivotedBody: tops and spherical pendulums.
class PivotedBodies {
 public:
  /// Whether a model is of this kind. If not, the class must not be used.
  static bool describe(const Model& model);

  explicit PivotedBodies(const Model& model);

  /// The constants of body i, in the order of links.
  const PivotedBody<double>& body(int i) const { return tops_[static_cast<std::size_t>(i)].body; }

  void acceleration(const double* q, const double* v, double* a) const {
    for (const Top& top : tops_)
      top.body.accelerate(top.body.gravity(q + top.q), Vector::from(v + top.v), a + top.v);
  }
  [[gnu::always_inline]] void chart_rate(const double* q, const double* xi, const double* v, double* xi_rate,
                                         double* a) {
    for (Top& top : tops_)
      top.body.chart_rate(gravity_at_start(top, q + top.q), xi + top.v, v + top.v, xi_rate + top.v,
                          a + top.v);
  }
  /// As TreeSystem::error_norm.
  double error_norm(const double* v, const double* xi, const double* dv, double length) const;

 private:
  using Vector = spatial::Vec3<double>;
  struct Top {
    int q, v;
    PivotedBody<double> body;
    std::array<double, 4> start{};  ///< quaternion at which the last chart began
    Vector g_start{};               ///< gravity there, axes of M
  };

  /// Gravity at the beginning of the chart, kept since all stages of a step ask for it at the same q.
  static const Vector& gravity_at_start(Top& top, const double* q) {
    auto& s = top.start;
    if (!(s[0] == q[0] && s[1] == q[1] && s[2] == q[2] && s[3] == q[3])) {
      s = {q[0], q[1], q[2], q[3]};
      top.g_start = top.body.gravity(q);
    }
    return top.g_start;
  }

  std::vector<Top> tops_;
};

}  // namespace torsor::mechanics
