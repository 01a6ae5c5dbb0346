#pragma once

#include <string>
#include <vector>

#include "torsor/geometry/tensor.hpp"
#include "torsor/lie/types.hpp"

namespace torsor {

/// Of all affinities L(k, i, j) of a connection, the one whose change, with all others kept, reduces the
/// residual of the weak condition most: the sum of the squares of W, of unit vectors and without rounding.
/// `required` is its value after this change. `alone`: with this value the connection meets the condition.
struct WrongAffinity {
  int k = 0, i = 0, j = 0;
  double value = 0, required = 0;
  bool alone = false;
};

/// For each column of `basis`, a vector at the event e: the rate at which terms of a field change along the
/// vector, relative to their size, if a change of coordinate j by max(|e_j|, 1) changes them by their size.
Vec rates_of_terms(const Vec& e, const Eigen::MatrixXd& basis);

/// The sizes that the terms of g_bk G(k, i, j) have before they cancel, with the Christoffel symbols G of the
/// metric g:
///
///   T(b, i, j) = (r_i l_j l_b + r_j l_i l_b + r_b l_i l_j) / 2,   l_i = sqrt(|g_ii|)
///
/// with the rates r along the vectors of the frame. A metric of positions is a sum of products of velocities,
/// and by the Cauchy-Schwarz inequality the terms of g_ij have at most the size l_i l_j.
geometry::Tensor3<double, Eigen::Dynamic> affinity_terms(const Eigen::MatrixXd& g, const Vec& rates);

/// The affinities of a connection and those of the Christoffel connection in the same frame on events, with
/// the metric there. The last direction is time, whose row is not an equation of motion.
///
/// The affinities are sums of terms that may all cancel, as those of a flat metric of particles do. Such
/// affinities are rounding errors, and a residual relative to them says nothing. Therefore a residual above
/// rounding_of_terms is taken again without_rounding.
struct AffinitiesAt {
  geometry::Tensor3<double, Eigen::Dynamic> L, strong;
  Eigen::MatrixXd g;
  std::vector<std::string> names = {};  ///< of the vectors of the frame; empty: their numbers from 1
  Vec rates = {};  ///< rates_of_terms of the vectors of the frame; empty: no difference counts as rounding

  /// The same in a frame whose vectors have lengths between 0.7 and 1.5: each is scaled by a power of 2.
  AffinitiesAt of_unit_vectors() const;
  /// Residual of the weak condition (compatibility.hpp) relative to the greatest entry of the metric times
  /// the greatest affinity, of unit vectors. It does not depend on the units of the coordinates, and a heavy
  /// part of the system does not hide a light one. The connection gives the motion only where the residual
  /// vanishes. A residual from rounding_of_terms to `rounding` is relative to the affinities of the Christoffel
  /// connection: a large sigma does not hide a wrong affinity.
  double weak_residual() const;
  /// The greatest weak residual that counts as rounding.
  static constexpr double rounding = 1e-9;
  /// A component of g (L - strong) below this fraction of its affinity_terms counts as 0.
  static constexpr double rounding_of_terms = 1e-12;
  /// The same with 0 for the components of g (L - strong) that count as 0.
  AffinitiesAt without_rounding() const;
  /// The greatest difference of the affinities, relative to the greatest affinity.
  double strong_residual() const;

  WrongAffinity wrong_affinity() const;
  /// "the residual of the weak condition is ...; the affinity "i, j -> k" is ... there and would have to be
  /// ...".
  std::string fault(const std::string& place) const;
};

}  // namespace torsor
