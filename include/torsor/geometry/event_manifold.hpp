#pragma once

#include "torsor/geometry/compatibility.hpp"
#include "torsor/geometry/constrained_point.hpp"
#include "torsor/geometry/equations_of_motion.hpp"
#include "torsor/geometry/event_metric.hpp"

/// Systems that depend on time, as systems on the manifold of events (q, t). A metric field gives the whole
/// matrix of event_metric.hpp at an event.
namespace torsor::geometry {

/// From x = X(y, t), a callable over the vector (y, t): the map of events (y, t) -> (X(y, t), t). Its
/// derivative is [J c; 0 1], J = dX/dy, c = dX/dt, so that
///
///   embedding<n + 1, m + 1>(at_equal_time(X))      (compatibility.hpp)
///
/// describes moving coordinates for m = n, and the configurations that time-dependent constraints allow for
/// m < n. induced_metric and strong_connection are the metric and the affinities in the coordinates (y, t).
/// Paraskevopoulos, Natsiavas, equations of motion for mechanical systems subject to acatastatic constraints,
/// (57)-(69).
template <class Positions>
auto at_equal_time(const Positions& positions) {
  return [positions](const auto& y) {
    using S = typename std::decay_t<decltype(y)>::Scalar;
    const auto x = positions(y);
    constexpr int n = std::decay_t<decltype(x)>::RowsAtCompileTime;
    return event<S, n>(x, y[y.size() - 1]);
  };
}

/// [N nu; 0 1] for constraints A v + a0 = 0 at events: v = N u + nu with nu = -C a0 of least norm
/// (constrained_point.hpp). `rows` gives A (k x n), `offset` a0, `basis` N with A N = 0, `metric` the metric
/// of events. Paraskevopoulos, Natsiavas, (64)-(70).
template <class Metric, class Rows, class Offset, class Basis>
auto acatastatic_basis(const Metric& metric, const Rows& rows, const Offset& offset, const Basis& basis) {
  return [=](const auto& q) {
    const auto point = constrained_point(event_metric(metric(q)).g, rows(q));
    return event_basis(basis(q), point.offset(offset(q)));
  };
}

/// The power that the surroundings supply to maintain the prescribed motion nu: the row of time in the
/// equations of motion of events, taken at (v, 1), minus the power f . nu of the applied forces.
/// Paraskevopoulos, Natsiavas, row 0 of (29)-(38).
template <class S, int N>
S prescribed_power(const EquationsOfMotion<S, N>& equations, const Vector<S, without_time<N>>& v_dot,
                   const S& applied_power) {
  const auto n = v_dot.size();
  return equations.mass.row(n).head(n).dot(v_dot) + equations.bias[n] - applied_power;
}

}  // namespace torsor::geometry
