#pragma once

#include <functional>
#include <vector>

#include "torsor/model/constraints.hpp"

namespace torsor {

/// Rows A(q, t) v + a0(q, t) = 0 on a Lie group, as forms A theta + a0 dt on configurations and time. theta
/// are the left-invariant forms: v = theta(q').
struct PfaffianSystem {
  int velocities = 0;
  std::vector<char> exact;  ///< over rows: the row has a phi, so it is integrable
  std::function<void(double t, const Vec& q, Eigen::MatrixXd& A, Vec& a0)> rows;
  std::function<void(const Vec& q, const Vec& xi, Vec& q_next)> retract;  ///< q exp(xi)
  /// Inverse of the left-trivialised derivative of exp. It gives the bracket:
  /// dexp_inv(u, w) - dexp_inv(-u, w) = [u, w].
  std::function<void(const Vec& xi, const Vec& w, Vec& out)> dexp_inv;
};

/// The rows of the constraints of a model. Keeps references to both arguments.
PfaffianSystem pfaffian_system(const Model& model, const Constraints& constraints);

struct SamplePoint {
  double t = 0;
  Vec q;
};

/// Over rows, 1 where the row is holonomic, even if it was written as a velocity constraint: its form lies in
/// the last term of the derived flag of all rows,
///
///   I_0 = span of the forms,   I_k+1 = { theta in I_k : d theta = 0 modulo I_k },
///
/// which is the greatest integrable system in the span of the forms (Frobenius; Bryant, Chern, Gardner,
/// Goldschmidt, Griffiths, Exterior Differential Systems, II.4). The points must satisfy the holonomic rows
/// and should be random: a row is holonomic if it lies in the last term at all points. With left-invariant
/// fields
///
///   d theta(X, Y) = X theta(Y) - Y theta(X) - theta([X, Y]).
///
/// Derivatives are central differences of order 4 with `step` (m and rad; small against the lengths of the
/// mechanism). The method uses dense matrices. Each term costs 4 d times the evaluations of the term before
/// it, where d is the number of degrees of freedom plus one for time.
std::vector<char> integrable_rows(const PfaffianSystem& system, const std::vector<SamplePoint>& points,
                                  double step = 3e-3);

}  // namespace torsor
