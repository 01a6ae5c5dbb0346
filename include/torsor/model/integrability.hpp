#pragma once

#include <functional>
#include <vector>

#include "torsor/model/constraints.hpp"

namespace torsor {

/// Rows A(q, t) v + a0(q, t) = 0 on a Lie group, as forms A theta + a0 dt on configurations and time, theta
/// the left-invariant forms: v = theta(q').
struct PfaffianSystem {
  int velocities = 0;
  std::vector<char> exact;  ///< over rows: has a phi, so that it is integrable as it stands
  std::function<void(double t, const Vec& q, Eigen::MatrixXd& A, Vec& a0)> rows;
  std::function<void(const Vec& q, const Vec& xi, Vec& q_next)> retract;  ///< q exp(xi)
  /// Inverse of the left-trivialised derivative of exp; it gives the bracket, dexp_inv(u, w) -
  /// dexp_inv(-u, w) = [u, w].
  std::function<void(const Vec& xi, const Vec& w, Vec& out)> dexp_inv;
};

/// The rows of a model's constraints on its velocities. Both are referred to.
PfaffianSystem pfaffian_system(const Model& model, const Constraints& constraints);

struct SamplePoint {
  double t = 0;
  Vec q;
};

/// Which rows are holonomic, whatever they were written as: those whose form lies in the last term of the
/// derived flag of all rows,
///
///   I_0 = span of the forms,   I_k+1 = { theta in I_k : d theta = 0 modulo I_k },
///
/// the greatest integrable system inside them (Frobenius; Bryant, Chern, Gardner, Goldschmidt, Griffiths,
/// Exterior Differential Systems, II.4). Judged at the points, which satisfy the holonomic rows and should be
/// random: a row counts where it lies in the last term at all of them. With left-invariant fields
///
///   d theta(X, Y) = X theta(Y) - Y theta(X) - theta([X, Y]).
///
/// Derivatives by central differences of order 4 with `step` (m and rad; small against the lengths of the
/// mechanism). Dense: a term costs 4 d times the evaluations of the one before it, d the number of freedoms,
/// time included.
std::vector<char> integrable_rows(const PfaffianSystem& system, const std::vector<SamplePoint>& points,
                                  double step = 3e-3);

}  // namespace torsor
