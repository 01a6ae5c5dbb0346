#pragma once

#include <vector>

#include "model/declared_joint.hpp"
#include "torsor/model/start.hpp"

namespace torsor::mechanics {

/// The given coordinates and rates of loop joints, as equations in addition to the constraints. The
/// residual is the coordinate or rate minus its given value, for an angle modulo a full turn. Loop joints without
/// independent coordinates are left out.
class GivenOutside {
 public:
  GivenOutside(const Model& tree, const Start& start);

  Vec coordinate_residual(const Vec& q) const;
  Vec rate_residual(const Vec& q, const Vec& v) const;
  /// The rates of the given coordinates at the velocities v of the tree.
  Vec coordinate_rates(const Vec& q, const Vec& v) const { return rates_of(coordinates_, q, v); }
  /// The same for the coordinates whose rates are given.
  Vec rate_rates(const Vec& q, const Vec& v) const { return rates_of(rates_, q, v); }
  /// Throws StartError if a given value differs from the value that the closed loop has at x.
  void check(const State& x) const;

 private:
  struct Given {
    int joint, place;
    double value;
  };

  DeclaredMotion motion(int joint, const Vec& q, const Vec& v) const;
  Vec rates_of(const std::vector<Given>& given, const Vec& q, const Vec& v) const;

  const Model& tree_;
  mutable Workspace<double> work_;
  std::vector<Given> coordinates_, rates_;
};

}  // namespace torsor::mechanics
