#pragma once

#include <vector>

#include "model/declared_joint.hpp"
#include "sparse_rows.hpp"
#include "torsor/model/start.hpp"

namespace torsor::mechanics {

/// The given coordinates and rates of loop joints, as equations in addition to the constraints. The residual
/// is the coordinate or rate minus its given value, for an angle modulo a full turn. For a quaternion it is
/// the rotation vector from the given attitude to the attitude.
class GivenOutside {
 public:
  GivenOutside(const Model& tree, const Start& start);

  bool any() const { return !coordinates_.empty() || !attitudes_.empty() || !rates_.empty(); }
  Vec coordinate_residual(const Vec& q) const;
  Vec rate_residual(const Vec& q, const Vec& v) const;
  /// The derivatives of the residuals with respect to the velocities of the tree, one matrix row for each
  /// residual.
  linear::Sparse coordinate_rows(const Vec& q) const;
  linear::Sparse rate_rows(const Vec& q) const;
  /// Throws StartError if a given value differs from the value that the closed loop has at x.
  void check(const State& x) const;

 private:
  struct Given {
    int joint, place;
    double value;
  };
  struct GivenAttitude {
    int joint;
    SO3<> R;
  };

  RowsOfLinks rows_of(int joint, int count) const;
  /// The rate of coordinate_residual at the velocities v of the tree.
  Vec coordinate_rates(const Vec& q, const Vec& v) const;
  /// The rates for which values are given, at the velocities v of the tree.
  Vec rate_rates(const Vec& q, const Vec& v) const;
  void place(const Vec& q, const Vec& v) const;  ///< sets work_, which the functions below need
  SO3<> attitude(int joint, const DeclaredMotion& at) const;
  Vec3 turn(const GivenAttitude& given, const Vec& q) const;

  const Model& tree_;
  mutable Workspace<double> work_;
  std::vector<Given> coordinates_, rates_;
  std::vector<GivenAttitude> attitudes_;
};

}  // namespace torsor::mechanics
