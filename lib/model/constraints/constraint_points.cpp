#include "constraint_laws.hpp"
#include "torsor/lie/status.hpp"

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

/// With u = d / |d|:  |d|' = u . d',   |d|'' = u . d'' + (|d'|^2 - (u . d')^2) / |d|.
void put_rows(const DistanceRow& law, const Instant& now, const RowSink& out) {
  const PointAt a = point_at(body_at(law.a, now.work), law.p_a, now.t);
  const PointAt b = point_at(body_at(law.b, now.work), law.p_b, now.t);
  const Vector3 d = b.x - a.x, d_rate = b.v - a.v;
  const double length = norm(d);
  if (length == 0) throw EvaluationError(StepStatus::singular, "the two points coincide");
  const auto wanted = law.length.with_derivatives(now.t);
  const Vector3 u = (1 / length) * d;
  const double along = dot(u, d_rate);
  const double bend = (dot(d_rate, d_rate) - along * along) / length;
  put(out, 0, law.a, law.b,
      {length - wanted.value, dot(u, b.a - a.a) + bend - wanted.acceleration,
       dot(u, b.own - a.own) - wanted.rate, u, cross(b.arm, u), -cross(a.arm, u)});
}

void put_rows(const PositionRows& law, const Instant& now, const RowSink& out) {
  const BodyAt origin = body_at(law.origin, now.work);
  const RelativePosition position(origin, point_at(origin, law.p_origin, now.t),
                                  point_at(body_at(law.point, now.work), law.p_point, now.t));
  const auto distance = law.distance.with_derivatives(now.t);
  for (int i = 0; i < law.count; ++i) {
    PairRow row = position.along(origin.R * law.axes[i]);
    if (i == 0) {
      row.phi -= distance.value;
      row.a0 -= distance.rate;
      row.gamma -= distance.acceleration;
    }
    put(out, i, law.origin, law.point, row);
  }
}

/// The angle between u_a and u_b. Its rate is n . (w_b - w_a), where n is the unit vector along u_a x u_b.
void put_rows(const AngleRow& law, const Instant& now, const RowSink& out) {
  const BodyAt a = body_at(law.a, now.work), b = body_at(law.b, now.work);
  const Vector3 u_a = a.R * law.u_a, u_b = b.R * law.u_b;
  const Vector3 normal = cross(u_a, u_b);
  const double sine = norm(normal);
  if (sine == 0) throw EvaluationError(StepStatus::singular, "the two directions are parallel");
  const Vector3 n = (1 / sine) * normal;
  const Vector3 normal_rate = cross(cross(a.w, u_a), u_b) + cross(u_a, cross(b.w, u_b));
  const Vector3 n_rate = (1 / sine) * (normal_rate - dot(n, normal_rate) * n);
  const auto wanted = law.angle.with_derivatives(now.t);
  PairRow row =
      turning(arctan2(sine, dot(u_a, u_b)) - wanted.value, dot(n_rate, b.w - a.w) - wanted.acceleration, n);
  row.a0 = -wanted.rate;
  put(out, 0, law.a, law.b, row);
}

void put_rows(const ConstantVelocityRows& law, const Instant& now, const RowSink& out) {
  put_constant_velocity_rows(law.frames, now.work, out);
}

}  // namespace torsor::constraint
