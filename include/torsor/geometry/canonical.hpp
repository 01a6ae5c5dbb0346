#pragma once

#include "torsor/geometry/connection.hpp"

namespace torsor {

/// The connections L = s c in the left-invariant frame of a group. All have the autoparallels g exp(t n):
///
///             s     torsion   curvature             parallel fields
///   minus     0     -c        0                     left-invariant
///   zero      1/2   0         -[[., .], .] / 4      -
///   plus      1     c         0                     right-invariant
///
/// `plus` is weakly compatible with every left-invariant metric, so it gives the dynamics of rigid bodies;
/// the others give wrong ones unless the metric is bi-invariant. Nonlinear Dynamics 2023, doi
/// 10.1007/s11071-023-08326-9, (57), (98), (112); the family after Cartan and Schouten.
enum class Canonical { minus, zero, plus };

template <class Scalar>
Scalar canonical_factor(Canonical member) {
  return constant<Scalar>(member == Canonical::plus ? 1 : member == Canonical::zero ? 0.5L : 0);
}

template <LieGroup G>
auto canonical_connection(Canonical member = Canonical::plus) {
  const auto c = LeftInvariantFrame<G>::structure_coefficients(G::identity());
  return Connection{LeftInvariantFrame<G>(), Constant{canonical_factor<typename G::Scalar>(member) * c}};
}

}  // namespace torsor
