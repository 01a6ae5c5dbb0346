#pragma once

#include <array>

#include "torsor/geometry/connection.hpp"

/// Autoparallels and parallel transport of any connection by numerical integration, for cases without a
/// closed form (canonical.hpp). The method is the extrapolated midpoint rule of order 12 with equal steps, in
/// the exponential chart q exp(xi) of a group or in the coordinates themselves. There are no branches on
/// values, so packs and dual numbers can be used. Hairer, Norsett, Wanner, Solving Ordinary Differential
/// Equations I, II.9.
namespace torsor::geometry {

/// A point of a curve: the position, and the velocity by components in the frame of a connection.
template <class Point, class Components>
struct CurvePoint {
  Point q;
  Components v;
};
template <class Point, class Components>
CurvePoint(Point, Components) -> CurvePoint<Point, Components>;

namespace internal {

template <class S, int N>
Vector<S, N> displaced(const Vector<S, N>& q, const Vector<S, N>& xi) {
  return q + xi;
}
template <LieGroup G>
G displaced(const G& g, const typename G::Tangent& xi) {
  return g * G::exp(xi);
}
/// xi' of displaced(q, xi) with the velocity v there.
template <class S, int N>
Vector<S, N> displacement_rate(const Vector<S, N>&, const Vector<S, N>&, const Vector<S, N>& v) {
  return v;
}
template <LieGroup G>
typename G::Tangent displacement_rate(const G&, const typename G::Tangent& xi, const typename G::Tangent& v) {
  return G::dexp_inv(xi, v);
}

/// y(t + h) of y' = rate(y, t): the smoothed midpoint rule of 2, 4 ... 12 substeps, extrapolated in h^2.
template <class Y, class S, class Rate>
Y extrapolated_step(const Y& y, const S& t, const S& h, const Rate& rate) {
  constexpr int columns = 6;
  std::array<Y, columns> table;
  const Y slope = rate(y, t);
  for (int j = 0; j < columns; ++j) {
    const int n = 2 * (j + 1);
    const S s = h / S(n);
    Y before = y, now = y + s * slope;
    for (int k = 1; k < n; ++k) {
      Y next = before + S(2) * s * rate(now, S(t + S(k) * s));
      before = now, now = next;
    }
    Y value = (now + before + s * rate(now, S(t + h))) / S(2);
    for (int k = 1; k <= j; ++k) {  // table[k - 1]: row j - 1 after k - 1 eliminations
      const double ratio = double(n) / double(2 * (j - k + 1));
      const Y finer = value + (value - table[std::size_t(k - 1)]) / S(ratio * ratio - 1);
      table[std::size_t(k - 1)] = value, value = finer;
    }
    table[std::size_t(j)] = value;
  }
  return table[columns - 1];
}

}  // namespace internal

/// The end of an autoparallel: the point, the velocity there, and the parallel-transported vectors, in
/// columns.
template <class Point, class Components, class Columns>
struct AutoparallelEnd {
  Point q;
  Components n;
  Columns carried;
};

/// The autoparallel n'^k = -L(k, i, j) n^i n^j of a connection from q with velocity n, after the time t, and
/// the parallel transport u'^k = -L(k, i, j) n^i u^j along it of the columns u of `carried`. Geodesics are
/// the autoparallels of the Christoffel connection. Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9,
/// (122)-(124).
template <class Frame, class Affinities, class Point, int columns = 0>
auto follow_autoparallel(const Connection<Frame, Affinities>& connection, const Point& q,
                         const Vector<typename Point::Scalar, Frame::dof>& n, const typename Point::Scalar& t,
                         const Matrix<typename Point::Scalar, Frame::dof, columns>& carried = {},
                         int steps = 16) {
  using S = typename Point::Scalar;
  using Components = Vector<S, Frame::dof>;
  using Columns = Matrix<S, Frame::dof, columns>;
  using Y = Vector<S, Eigen::Dynamic>;
  using Many = Eigen::Map<Matrix<S, Frame::dof, Eigen::Dynamic>>;
  using OfMany = Eigen::Map<const Matrix<S, Frame::dof, Eigen::Dynamic>>;
  const auto& frame = connection.frame;
  using Displacement = std::decay_t<decltype(frame.velocity(q, n))>;
  const Eigen::Index m = frame.velocity(q, n).size(), d = n.size();
  AutoparallelEnd<Point, Components, Columns> end{q, n, carried};
  if (carried.cols() == 0) end.carried = Columns::Constant(d, 0, S(0));  // by default it has no rows either
  const S h = t / S(steps);
  for (int k = 0; k < steps; ++k) {
    const auto rate = [&](const Y& y, const S&) {
      const Displacement xi = y.head(m);
      const Components v = y.segment(m, d);
      const Point at = internal::displaced(end.q, xi);
      const Matrix<S, Frame::dof> L_v = connection.affinities(at).along(v);
      Y out(y.size());
      out.head(m) = internal::displacement_rate(end.q, xi, Displacement(frame.velocity(at, v)));
      out.segment(m, d) = -(L_v * v);
      Many(out.data() + m + d, d, carried.cols()) = -(L_v * OfMany(y.data() + m + d, d, carried.cols()));
      return out;
    };
    Y y = Y::Constant(m + d + carried.size(), S(0));
    y.segment(m, d) = end.n;
    Many(y.data() + m + d, d, carried.cols()) = end.carried;
    y = internal::extrapolated_step(y, S(0), h, rate);
    end.q = internal::displaced(end.q, Displacement(y.head(m)));
    end.n = y.segment(m, d);
    end.carried = OfMany(y.data() + m + d, d, carried.cols());
  }
  return end;
}

/// Parallel transport of u along any curve, u'^k = -L(k, i, j) v^i u^j, from time 0 to t: curve(s) is a
/// CurvePoint, its velocity in the connection's frame. The same paper, (122)-(124).
template <class Frame, class Affinities, class Curve, class S>
Vector<S, Frame::dof> parallel_transport(const Connection<Frame, Affinities>& connection, const Curve& curve,
                                         const Vector<S, Frame::dof>& u, const S& t, int steps = 16) {
  using Components = Vector<S, Frame::dof>;
  const auto rate = [&](const Components& w, const S& s) -> Components {
    const auto at = curve(s);
    return -(connection.affinities(at.q).along(Components(at.v)) * w);
  };
  Components w = u;
  const S h = t / S(steps);
  for (int k = 0; k < steps; ++k) w = internal::extrapolated_step(w, S(S(k) * h), h, rate);
  return w;
}

}  // namespace torsor::geometry
