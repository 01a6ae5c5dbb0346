#pragma once

#include "constraint_kind.hpp"

namespace torsor::constraint {

/// The position of a point along `count` unit vectors that are fixed in the body of the origin: for a point
/// on a line, a point on a plane and a point driver.
class PositionRows final : public PreparedLaw {
 public:
  PositionRows(const MovingPoint& origin, const MovingPoint& point, Builder& build)
      : origin(build.body(origin.body)), point(build.body(point.body)), p_origin(origin.p), p_point(point.p) {
    build.name_first(this->point);
  }

  void put_rows(const Instant& now, const RowSink& out) const override;

  BodyRef origin, point;
  TimeVec3 p_origin, p_point;
  std::array<Vector3, 3> axes;
  int count = 0;
  TimeFunction distance = 0.;  ///< along the first axis
};

}  // namespace torsor::constraint
