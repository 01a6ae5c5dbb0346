#pragma once

#include <algorithm>
#include <array>

#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/detail/taylor.hpp"
#include "torsor/geometry/nonholonomic.hpp"
#include "torsor/geometry/strong_friction.hpp"

/// Motion with strong friction after its transient, on the slow manifold: v = u + h, with u = P v in D =
/// ker A and the slip velocity h = sum_{i >= 1} eps^i h_i(q, u) orthogonal to D. The slow motion is the only
/// one that is a power series in eps, and it is computed as such: its states are series in time, whose
/// coefficients are series in eps. All derivatives of the expansion, also those along the reduced flow, are
/// exact at every order.
///
/// Gzenda, Chhabra, arXiv 2408.00095; this header carries out the expansion that they outline after (42).
namespace torsor::geometry {

/// Coefficients of eps^0 ... eps^order at a point (q, u): of q' = sum eps^i velocity[i], velocity[0] = u and
/// velocity[i] = h_i; of u' = sum eps^i rate[i]; of the slip A v = sum eps^i slip[i], slip[0] = 0. u' is the
/// rate of the components of u in the chart, and keeps A u = 0.
template <class S, int n, int k, int order>
struct SlowMotion {
  std::array<Vector<S, n>, order + 1> velocity, rate;
  std::array<Vector<S, k>, order + 1> slip;

  /// Sums up to eps^last.
  Vector<S, n> q_dot(const S& eps, int last = order) const { return sum(velocity, eps, last); }
  Vector<S, n> u_dot(const S& eps, int last = order) const { return sum(rate, eps, last); }

 private:
  static Vector<S, n> sum(const std::array<Vector<S, n>, order + 1>& terms, const S& eps, int last) {
    Vector<S, n> value = terms[static_cast<std::size_t>(last)];
    for (int i = last - 1; i >= 0; --i) value = value * eps + terms[static_cast<std::size_t>(i)];
    return value;
  }
};

namespace internal {

template <class S, int inner, int outer>
using TimeSeries = Taylor<Taylor<S, inner>, outer>;

/// d/dt and the integral over t of every entry.
template <class T, int rows>
Vector<T, rows> time_derivative(const Vector<T, rows>& x) {
  return of_entries([](const T& series) { return series.derivative(); }, x);
}
template <class T, int rows>
Vector<T, rows> time_integral(const Vector<T, rows>& x) {
  return of_entries([](const T& series) { return series.integral(); }, x);
}

}  // namespace internal

/// The invariance condition in two forms, which agree to rounding. Each gives R v / eps, the deceleration by
/// friction on the slow manifold, from a motion (q, v) with slip velocity h given as series in time.
///
/// From the slip, without derivatives of projectors: C [Phi(q, v) - d(A h)/dt].
struct SlipForm {
  template <class System, class T, int n>
  Vector<T, n> operator()(const System& system, const Vector<T, n>& q, const Vector<T, n>& v,
                          const Vector<T, n>& h) const {
    const auto point = constrained_point(system.metric(q), system.rows(q));
    const auto slip = (point.A * h).eval();
    return point.C * (frictionless_slip_rate(system, q, v) - internal::time_derivative(slip));
  }
};
/// From the projectors, the part of (nabla_v P_perp) v + P_perp G^-1 f - nabla_v h orthogonal to D.
struct ProjectorForm {
  template <class System, class T, int n>
  Vector<T, n> operator()(const System& system, const Vector<T, n>& q, const Vector<T, n>& v,
                          const Vector<T, n>& h) const {
    const auto connection = christoffel(CoordinateFrame<n>(), system.metric);
    // A NormalProjector would make g++ 12 warn that its copies of empty functors are uninitialised.
    const auto P_perp = [&system](const auto& at) {
      return constrained_point(system.metric(at), system.rows(at)).P_perp();
    };
    const Vector<T, n> free = solve(system.metric(q), system.force(q, v));
    const Vector<T, n> nabla_h = covariant_rate(connection.affinities(q), v, h, internal::time_derivative(h));
    return P_perp(q) * (derivative_of_map(connection, q, v, P_perp) * v + free - nabla_h);
  }
};

/// The slow motion through q with u in D. R h = eps y, with y from the form, and v' = G^-1 (f - b) - y are
/// iterated in series, starting from constant q and v and h = 0. 2 * order sweeps determine all returned
/// coefficients and need no more than order - 1 powers of time: the error of the slip in the last power
/// affects t = 0 only beyond eps^order. The coefficients up to eps^last need 2 * last sweeps.
template <int order, class Form = SlipForm, class... Fields, class S, int n>
auto slow_motion(const StrongFriction<Fields...>& system, const Vector<S, n>& q0, const Vector<S, n>& u0,
                 const Form& form = {}, int last = order) {
  constexpr int k = ValueAt<decltype(system.rows), Vector<S, n>>::RowsAtCompileTime;
  using InEps = Taylor<S, order>;
  using T = Taylor<InEps, std::max(order - 1, 1)>;
  using Motion = Vector<T, n>;
  const T eps(InEps::variable());
  const auto constant = [](const Vector<S, n>& x) {
    return of_entries([](const S& x_i) { return T(x_i); }, x);
  };
  Motion q = constant(q0), v = constant(u0), h = zero_like(v);
  for (int sweep = 0; sweep < std::max(2 * last, 1); ++sweep) {
    const Motion y = form(system, q, v, h);
    const Motion v_dot = frictionless_acceleration(system, q, v) - y;
    const auto point = constrained_point(system.metric(q), system.rows(q));
    const Vector<T, k> drive = point.M_c * (point.A * y);
    h = point.C * (eps * solve(system.friction(q), drive));
    const Motion at_start = of_entries([](const T& series) { return T(series[0]); }, h);
    v = constant(u0) + at_start + internal::time_integral(v_dot);
    q = constant(q0) + internal::time_integral(v);
  }
  const Vector<T, k> slip = system.rows(q) * v;
  const Motion u = v - constrained_point(system.metric(q), system.rows(q)).C * slip;
  SlowMotion<S, n, k, order> motion;
  for (int i = 0; i <= order; ++i) {
    const auto place = static_cast<std::size_t>(i);
    motion.velocity[place] = of_entries([i](const T& series) { return series[0][i]; }, v);
    motion.rate[place] = of_entries([i](const T& series) { return series[1][i]; }, u);
    motion.slip[place] = of_entries([i](const T& series) { return series[0][i]; }, slip);
  }
  return motion;
}

}  // namespace torsor::geometry
