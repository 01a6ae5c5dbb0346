#pragma once

#include <string>
#include <vector>

#include "torsor/geometry/tensor.hpp"
#include "torsor/lie/types.hpp"

namespace torsor {

/// Of all affinities L(k, i, j) of a connection, the one whose change, with all others kept, reduces the
/// residual of the weak condition most. `required` is its value after this change. `alone`: with this value
/// the connection meets the condition.
struct WrongAffinity {
  int k = 0, i = 0, j = 0;
  double value = 0, required = 0;
  bool alone = false;
};

/// The affinities of a connection and those of the Christoffel connection in the same frame on events, with
/// the metric there. The last direction is time, whose row is not an equation of motion.
struct AffinitiesAt {
  geometry::Tensor3<double, Eigen::Dynamic> L, strong;
  Eigen::MatrixXd g;
  std::vector<std::string> names = {};  ///< of the vectors of the frame; empty: their numbers from 1

  /// The same in a frame whose vectors have lengths between 0.7 and 1.5: each is scaled by a power of 2.
  AffinitiesAt of_unit_vectors() const;
  /// Residual of the weak condition (compatibility.hpp) relative to the greatest entry of the metric times
  /// the greatest affinity, of unit vectors. It does not depend on the units of the coordinates, and a heavy
  /// part of the system does not hide a light one. The connection gives the motion only where the residual
  /// vanishes.
  double weak_residual() const;
  /// The greatest weak residual that counts as rounding.
  static constexpr double rounding = 1e-9;
  /// The greatest difference of the affinities, relative to the greatest affinity.
  double strong_residual() const;

  WrongAffinity wrong_affinity() const;
  /// "the residual of the weak condition is ...; the affinity "i, j -> k" is ... there and would have to be
  /// ...".
  std::string fault(const std::string& place) const;
};

}  // namespace torsor
