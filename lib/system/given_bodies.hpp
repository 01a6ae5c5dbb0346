#pragma once

#include <vector>

#include "sparse.hpp"
#include "torsor/model/start.hpp"
#include "torsor/model/workspace.hpp"

namespace torsor::mechanics {

/// The given data of the bodies at the start, as equations: three rows for each given position, attitude,
/// velocity and angular velocity. The residual is the value of the body minus the given value, in m and rad,
/// or m/s and rad/s.
class GivenBodies {
 public:
  GivenBodies(const Model& tree, const Start& start) : tree_(tree), start_(start), work_(tree) {}

  Vec coordinate_residual(const Vec& q) const { return residual(poses(q)); }
  Vec rate_residual(const Vec& q, const Vec& v) const { return residual(motions(q, v)); }
  /// Whether the residuals are within `tolerance`, times unit_of_lengths or unit_of_rates.
  bool keeps_coordinates(const Vec& q, double tolerance) const { return met(poses(q), tolerance); }
  bool keeps_rates(const Vec& q, const Vec& v, double tolerance) const {
    return met(motions(q, v), tolerance);
  }
  /// Derivatives of the residuals with respect to the velocities of the tree, one matrix row for each
  /// residual.
  linear::Sparse coordinate_rows(const Vec& q) const { return rows(poses(q)); }
  linear::Sparse rate_rows(const Vec& q, const Vec& v) const { return rows(motions(q, v)); }

 private:
  /// One given value. For a position or an attitude, the rate of `miss` is `map` times the velocity of the
  /// mass centre or, if `angular`, the angular velocity, in world axes. For a given velocity, the change of
  /// `miss` is `map` times the change of that velocity.
  struct Demand {
    int link;
    bool angular;
    Vec3 miss;
    double unit;  ///< of the tolerance
    Mat3 map;
  };

  std::vector<Demand> poses(const Vec& q) const;
  std::vector<Demand> motions(const Vec& q, const Vec& v) const;
  static bool met(const std::vector<Demand>& demands, double tolerance);
  static Vec residual(const std::vector<Demand>& demands);
  linear::Sparse rows(const std::vector<Demand>& demands) const;

  const Model& tree_;
  const Start& start_;
  mutable Workspace<double> work_;
};

}  // namespace torsor::mechanics
