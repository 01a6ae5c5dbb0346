#pragma once

#include <memory>
#include <string>
#include <vector>

#include "torsor/lie/types.hpp"

namespace torsor::test {

/// The sample motion in long double, with one type for all groups, so that each method is compiled once.
class AnyField {
 public:
  using Scalar = long double;
  using Tangent = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  using Point = Tangent;  ///< stored numbers of the group, then the velocity

  /// `group` is "SO3", "SE3", "R3xSO3", "SE3xSO3", "SE23" or "SGal3".
  explicit AnyField(const std::string& group);

  Point start() const;
  int dim() const;
  void retract(const Point& y, const Tangent& u, Point& out) const;
  void difference(const Point& y, const Point& z, Tangent& out) const;
  void dexp(const Tangent& u, const Tangent& w, Tangent& out) const;
  void rate(long double t, const Point& y, Tangent& out) const;
  void chart_rate(long double t, const Point& y, const Tangent& u, Tangent& out) const;
  void rate_from_chart(const Point& z, const Tangent& u, const Tangent& u_rate, Tangent& out) const;

  struct Group;

 private:
  std::shared_ptr<const Group> group_;
};

}  // namespace torsor::test
