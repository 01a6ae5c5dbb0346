#pragma once

#include <vector>

#include "torsor/model/declared_joint.hpp"
#include "torsor/model/start.hpp"

namespace torsor::sim {

/// What is given of the joints outside the tree, as equations beside the constraints: the coordinate, or the
/// rate, less what is given of it. Joints without independent coordinates are left out.
class GivenOutside {
 public:
  GivenOutside(const Model& tree, const Start& start);

  Vec coordinate_residual(const Vec& q) const;
  Vec rate_residual(const Vec& q, const Vec& v) const;
  /// The rates of the coordinates, or of the rates, that are given, for velocities v.
  Vec coordinate_rates(const Vec& q, const Vec& v) const { return rates_of(coordinates_, q, v); }
  Vec rate_rates(const Vec& q, const Vec& v) const { return rates_of(rates_, q, v); }
  /// Throws StartError where what is given is not what the loop has come to.
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

}  // namespace torsor::sim
