#include "position_rows.hpp"

// A point stays on a line.

namespace torsor::constraint {

void check(const PointOnLine& law, Check& at) {
  at.point(law.point);
  at.point(law.origin);
  at.two_bodies(law.point.body, law.origin.body);
  at.direction(law.direction, "the direction");
}

std::vector<Row> rows_of(const PointOnLine& law, const Mechanism&) {
  return rows({"across 1", "across 2"}, Row::Kind::force, moves(law.point) || moves(law.origin));
}

Prepared prepare(const PointOnLine& law, Builder& build) {
  auto out = std::make_unique<PositionRows>(law.origin, law.point, build);
  const auto [x, y] = tangents(law.direction.normalized());
  out->axes = {Vector3(x), Vector3(y), {}};
  out->count = 2;
  return out;
}

}  // namespace torsor::constraint
