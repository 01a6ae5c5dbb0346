#include "position_rows.hpp"

namespace torsor::constraint {

/// p(t) in body axes, so that x = p_WB + R p: v gains R p', and a gains 2 w x R p' + R p''.
PointAt point_at(const BodyAt& body, const TimeVec3& law, double t) {
  const auto x = law[0].with_derivatives(t), y = law[1].with_derivatives(t), z = law[2].with_derivatives(t);
  PointAt point = point_at(body, {x.value, y.value, z.value});
  point.own = body.R * Vector3(x.rate, y.rate, z.rate);
  point.v += point.own;
  point.a += 2. * cross(body.w, point.own) + body.R * Vector3(x.acceleration, y.acceleration, z.acceleration);
  return point;
}

void PositionRows::put_rows(const Instant& now, const RowSink& out) const {
  const BodyAt at_origin = body_at(origin, now.work);
  const PointAt from = point_at(at_origin, p_origin, now.t),
                to = point_at(body_at(point, now.work), p_point, now.t);
  const RelativePosition position(at_origin, from, to);
  const auto wanted = distance.with_derivatives(now.t);
  for (int i = 0; i < count; ++i) {
    PairRow row = position.along(at_origin.R * axes[i]);
    row.a0 = dot(row.lin, to.own - from.own);
    if (i == 0) {
      row.phi -= wanted.value;
      row.a0 -= wanted.rate;
      row.gamma -= wanted.acceleration;
    }
    put(out, i, origin, point, row);
  }
}

}  // namespace torsor::constraint
