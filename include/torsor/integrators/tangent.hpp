#pragma once

#include "torsor/lie/types.hpp"

namespace torsor {

/// The iteration matrix of implicit methods: the derivative of the equations of motion
///
///   G a - f - A^T lambda = 0   and   A v + a0 = 0   or   phi = 0
///
/// at a point, for small changes a += da, v += c_v da, q <- q exp(T(xi) c_q da), lambda += dl. T is the
/// left-trivialised derivative of exp at xi. D and K are the derivatives of G a - f - A^T lambda with
/// respect to v and q:
///
///   [ d(G a - f - A^T lambda)   ]   [ G + c_v D + c_q K T    -A^T ] [ da ]
///   [ d(A v + a0)  or  d(phi)   ] = [ c_v A + c_q Z T          0  ] [ dl ]    (Z = d(A v + a0)/dq)
///
/// `level` selects the second row of blocks. velocity: the row as shown, for all constraint rows. position:
/// c_q A T for holonomic rows, and c_q / c_v times the velocity row for nonholonomic rows, so that all rows
/// have the same scale.
class Tangent {
 public:
  enum class Level { velocity, position };
  struct Linearisation {
    double t;
    const State& x;
    const Vec& a;
    const Vec& lambda;
    const Vec& xi;
    double c_v, c_q;
    Level level;
  };

  virtual ~Tangent() = default;

  virtual void factor(const Linearisation& at) = 0;
  /// Finds da and dl for the residuals r (size nv) and s (one for each constraint row) of the two rows of
  /// blocks above. An iteration then applies a -= da, lambda -= dl.
  virtual void solve(VecIn r, VecIn s, VecOut da, VecOut dl) = 0;
  /// G w at (t, q).
  virtual void metric_times(double t, VecIn q, VecIn w, VecOut out) const = 0;
};

}  // namespace torsor
