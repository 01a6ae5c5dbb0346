#include "position_rows.hpp"

// A point stays at a distance from a plane.

namespace torsor::constraint {

void check(const PointOnPlane& law, Check& at) {
  at.point(law.point);
  at.point(law.origin);
  at.two_bodies(law.point.body, law.origin.body);
  at.direction(law.normal, "the normal");
  at.require(finite(law.distance), "the distance is not finite");
}

std::vector<Row> rows_of(const PointOnPlane& law, const Mechanism&) {
  return rows({"distance"}, Row::Kind::force, moves(law.point) || moves(law.origin) || moves(law.distance));
}

Prepared prepare(const PointOnPlane& law, Builder& build) {
  auto out = std::make_unique<PositionRows>(law.origin, law.point, build);
  out->axes[0] = unit(law.normal);
  out->count = 1;
  out->distance = law.distance;
  return out;
}

}  // namespace torsor::constraint
