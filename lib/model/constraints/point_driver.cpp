#include "position_rows.hpp"

// A point follows a target along some axes.

namespace torsor::constraint {

void check(const PointDriver& law, Check& at) {
  at.point(law.point);
  at.point(law.target);
  at.two_bodies(law.point.body, law.target.body);
  at.require(law.along[0] || law.along[1] || law.along[2], "no axis is driven");
}

std::vector<Row> rows_of(const PointDriver& law, const Mechanism&) {
  std::vector<Row> out;
  for (int i = 0; i < 3; ++i)
    if (law.along[i])
      out.push_back({Row::Kind::force, true, moves(law.point) || moves(law.target), position_name(i)});
  return out;
}

Prepared prepare(const PointDriver& law, Builder& build) {
  auto out = std::make_unique<PositionRows>(law.target, law.point, build);
  for (int i = 0; i < 3; ++i)
    if (law.along[i]) out->axes[out->count++] = Vector3(Vec3(Vec3::Unit(i)));
  return out;
}

}  // namespace torsor::constraint
