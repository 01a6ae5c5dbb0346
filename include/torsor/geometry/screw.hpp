#pragma once

#include <limits>

#include "torsor/lie/se3.hpp"

namespace torsor::geometry {

/// The screw of a twist n = (n_1, m/s; n_2, rad/s) of SE(3): the body turns with `turn` about the axis
/// through `point` along the unit vector `direction`, and advances along it with `advance`. All in body axes,
/// and constant along the autoparallel g exp(t n).
///
///   n_2 = turn * direction,   n_1 = advance * direction + point x n_2,   point = n_2 x n_1 / turn^2
///
/// Nonlinear Dynamics 2023, doi 10.1007/s11071-023-08326-9, (141)-(144), treats only axes through the
/// origin.
template <class S = double>
struct Screw {
  Vector<S, 3> point;      ///< the point of the axis nearest to the origin, m; zero for a translation
  Vector<S, 3> direction;  ///< unit vector; along n_1 for a translation; zero for the zero twist
  S turn;                  ///< |n_2| (rad/s)
  S advance;               ///< n_1 . direction (m/s); not negative for a translation

  /// advance / turn (m/rad); infinite for a translation, zero for the zero twist, NaN if either is NaN.
  S pitch() const {
    const S inf = S(std::numeric_limits<RealOf<S>>::infinity());
    const auto turns = !(turn <= S(0));  // NaN included
    const S without = torsor::select(advance > S(0), inf, advance);
    return torsor::select(turns, S(advance / torsor::select(turns, turn, S(1))), without);
  }
  typename SE3<S>::Tangent twist() const {
    const Vector<S, 3> n_2 = turn * direction;
    typename SE3<S>::Tangent n;
    n.template head<3>() = advance * direction + cross(point, n_2);
    n.template tail<3>() = n_2;
    return n;
  }
};

namespace internal {

/// |v| and v / |v| without overflow for any length; both are zero if v is zero, and NaN if v is not finite.
template <class S>
std::pair<S, Vector<S, 3>> length_and_direction(const Vector<S, 3>& v) {
  const S most = torsor::max(torsor::abs(v[0]), torsor::max(torsor::abs(v[1]), torsor::abs(v[2])));
  const S scale = torsor::select(most > S(0), most, S(1));
  const Vector<S, 3> scaled = v / scale;
  const S squared = scaled[0] * scaled[0] + scaled[1] * scaled[1] + scaled[2] * scaled[2];
  const auto is_zero = squared <= S(0);
  const S norm = torsor::sqrt(torsor::select(is_zero, S(1), squared));  // in [1, sqrt 3]
  return {torsor::select(is_zero, S(0), S(scale * norm)), scaled / norm};
}

}  // namespace internal

template <class S>
Screw<S> screw_of(const Vector<S, 6>& n) {
  const Vector<S, 3> n_1 = n.template head<3>(), n_2 = n.template tail<3>();
  const auto [turn, axis] = internal::length_and_direction(n_2);
  const auto [speed, line] = internal::length_and_direction(n_1);
  const auto turns = !(turn <= S(0));
  const S divisor = torsor::select(turns, turn, S(1));
  const Vector<S, 3> point =
      cross(axis, n_1) / divisor;  // `axis` is zero without rotation, and so is `point`
  Screw<S> screw;
  screw.turn = turn;
  screw.point = point;
  for (int i = 0; i < 3; ++i) screw.direction[i] = torsor::select(turns, axis[i], line[i]);
  screw.advance = torsor::select(turns, S(axis[0] * n_1[0] + axis[1] * n_1[1] + axis[2] * n_1[2]), speed);
  return screw;
}

/// The displacement after the time t, in the body axes of the start:
///
///   p(t) = (t I + (1 - cos(wt))/w^2 N + (wt - sin(wt))/w^3 N^2) n_1,   N the skew matrix of n_2, w = |n_2|
///
/// With R(s) = exp(s N) and N_1 the skew matrix of n_1, the skew matrix of p(t) is B, the integral of R N_1
/// R^T from 0 to t, and exp(t ad_n) = [R, B R; 0, R].
template <class S>
Vector<S, 3> screw_displacement(const Vector<S, 6>& n, const S& t) {
  return SE3<S>::exp(typename SE3<S>::Tangent(t * n)).p;
}
/// exp(t ad_n) = Ad(exp(t n)).
template <class S>
Matrix<S, 6> exp_ad(const Vector<S, 6>& n, const S& t) {
  return SE3<S>::exp(typename SE3<S>::Tangent(t * n)).Ad();
}

}  // namespace torsor::geometry
