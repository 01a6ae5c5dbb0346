#include <cmath>

#include "constraint_kind.hpp"
#include "torsor/lie/dual.hpp"
#include "torsor/lie/status.hpp"

// A sphere, a disk or an ellipsoid rolls on a plane, which may move.

namespace torsor::constraint {
namespace {

using spatial::Mat3;

template <class S>
using V = spatial::Vec3<S>;

template <class S>
V<S> scaled(const S& s, const V<double>& a) {
  return {s * S(a.x), s * S(a.y), s * S(a.z)};
}

/// A function of time and its rate, each with its derivative.
struct Timed {
  Dual<double> value, rate;
};

Timed timed(const TimeFunction& f, double t) {
  const auto [value, rate, acceleration] = f.with_derivatives(t);
  return {{value, rate}, {rate, acceleration}};
}

using D = Dual<double>;

V<D> moving(const V<double>& x, const V<double>& rate) {
  return {D(x.x, rate.x), D(x.y, rate.y), D(x.z, rate.z)};
}

/// R with the derivative w x R.
Mat3<D> turning_with(const Mat3<double>& R, const V<double>& w) {
  const V<D> x = moving(R.col_x(), cross(w, R.col_x())), y = moving(R.col_y(), cross(w, R.col_y())),
             z = moving(R.col_z(), cross(w, R.col_z()));
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/// Support function h(m) = max m . y over the points y of the surface, where m is a unit vector in body axes,
/// and the y of the maximum, for surfaces that are symmetric about their centre. For a plane of normal n and
/// m = R^T n, the lowest point is -y, and its height is the height of the centre minus h.
struct Support {
  D h;
  V<D> y;
};

Support support(const RollingSphere& sphere, const V<D>& m) {
  return {D(sphere.radius), D(sphere.radius) * m};
}

Support support(const RollingDisk& disk, const V<D>& m) {
  const Vec3 unit = disk.axis.normalized();
  const V<D> axis{D(unit[0]), D(unit[1]), D(unit[2])};
  const V<D> in_disk = m - dot(axis, m) * axis;
  const D squared_length = dot(in_disk, in_disk);
  if (squared_length.value == 0) throw EvaluationError(StepStatus::singular, "the disk lies flat");
  const D length = torsor::sqrt(squared_length);
  return {D(disk.radius) * length + D(disk.edge), (D(disk.radius) / length) * in_disk + D(disk.edge) * m};
}

Support support(const RollingEllipsoid& ellipsoid, const V<D>& m) {
  const auto& a = ellipsoid.semi_axes;
  const V<D> scaled_m{D(a[0] * a[0]) * m.x, D(a[1] * a[1]) * m.y, D(a[2] * a[2]) * m.z};
  const D h = torsor::sqrt(dot(scaled_m, m));
  return {h, (D(1) / h) * scaled_m};
}

/// The plane at an instant: a point, its velocity, unit normal and tangents, angular velocity.
struct PlaneAt {
  V<D> x, v, w;
  std::array<V<D>, 3> axes;
};

/// e turned by the angle about the unit vector u: e cos + u x e sin + u (u . e) (1 - cos).
V<D> turned(const Vector3& e, const Vector3& u, const SinCos<D>& angle) {
  return scaled(angle.cos, e) + scaled(angle.sin, cross(u, e)) + scaled(D(dot(u, e)) * (D(1) - angle.cos), u);
}

class RollingRows final : public PreparedLaw {
 public:
  RollingRows(const Rolling& law, Builder& build)
      : body_(build.body(law.body)), law_(law), turn_axis_(unit(law.plane.axis)) {
    const Vec3 normal = law.plane.normal.normalized();
    const auto [x, y] = tangents(normal);
    axes_ = {Vector3(normal), Vector3(x), Vector3(y)};
  }

  void put_rows(const Instant& now, const RowSink& out) const override;

 private:
  PlaneAt plane_at(double t) const;

  BodyRef body_;
  Rolling law_;
  std::array<Vector3, 3> axes_;  ///< normal and two tangents of the plane at the angle 0
  Vector3 turn_axis_;
};

PlaneAt RollingRows::plane_at(double t) const {
  const MovingPlane& plane = law_.plane;
  const Timed x = timed(plane.point[0], t), y = timed(plane.point[1], t), z = timed(plane.point[2], t);
  const Timed angle = timed(plane.angle, t);
  PlaneAt at{{x.value, y.value, z.value}, {x.rate, y.rate, z.rate}, scaled(angle.rate, turn_axis_), {}};
  const SinCos<D> turn = sin_cos(angle.value);
  for (int i = 0; i < 3; ++i) at.axes[i] = turned(axes_[i], turn_axis_, turn);
  return at;
}

/// The point of the body that is the lowest point x of the surface, at r from the mass centre, moves with the
/// plane:
///   e . (v + w x r - v_plane(x)) = 0   for e = n, t1, t2.
/// The first row is the rate of the gap, since the height of the lowest point does not change to first order
/// when the point slides over the surface. The velocity-dependent part of the rates of the rows is their
/// derivative along the motion at constant velocities, by dual numbers.
void RollingRows::put_rows(const Instant& now, const RowSink& out) const {
  const BodyAt body = body_at(body_, now.work);
  const Mat3<D> R = turning_with(body.R, body.w);
  const V<D> p = moving(body.p, body.v);
  const PlaneAt plane = plane_at(now.t);
  const V<D>& n = plane.axes[0];

  const Vec3& c = law_.centre;
  const V<D> arm_of_centre = R * V<D>(D(c[0]), D(c[1]), D(c[2]));
  const Support lowest =
      std::visit([&](const auto& shape) { return support(shape, transpose_times(R, n)); }, law_.shape);
  const V<D> arm = arm_of_centre - R * lowest.y;
  const V<D> plane_velocity = plane.v + cross(plane.w, p + arm - plane.x);

  const auto put_row = [&](int row, double phi, const V<D>& lin, const V<D>& ang, const D& a0) {
    const auto value = [](const V<D>& a) { return Vector3(a.x.value, a.y.value, a.z.value); };
    const auto rate = [](const V<D>& a) { return Vector3(a.x.derivative, a.y.derivative, a.z.derivative); };
    out.phi[row] = phi, out.a0[row] = a0.value;
    out.gamma[row] = dot(rate(lin), body.v) + dot(rate(ang), body.w) + a0.derivative;
    out.put(body_, row, value(lin), value(ang));
  };
  const double gap = (dot(n, p + arm_of_centre - plane.x) - lowest.h).value;
  for (int i = 0; i < 3; ++i) {
    const V<D>& e = plane.axes[i];
    put_row(i, i == 0 ? gap : 0, e, cross(arm, e), -dot(e, plane_velocity));
  }
  if (!law_.upright) return;
  const Vec3 direction = std::get<RollingDisk>(law_.shape).axis.normalized();
  const V<D> axis = R * V<D>(D(direction[0]), D(direction[1]), D(direction[2]));
  put_row(3, dot(axis, n).value, {}, cross(axis, n), dot(axis, cross(plane.w, n)));
}

/// Whether the plane turns about its own normal, like a turntable.
bool turns_in_itself(const MovingPlane& plane) {
  return plane.normal.cross(plane.axis).norm() <= 1e-12 * plane.normal.norm() * plane.axis.norm();
}

void check_length(double value, const std::string& what, Check& at) {
  at.require(std::isfinite(value) && value > 0, what + " is not positive and finite");
}
void check_shape(const RollingSphere& sphere, Check& at) { check_length(sphere.radius, "the radius", at); }
void check_shape(const RollingDisk& disk, Check& at) {
  at.direction(disk.axis, "the axis of the disk");
  check_length(disk.radius, "the radius", at);
  at.require(std::isfinite(disk.edge) && disk.edge >= 0, "the radius of the edge is negative or not finite");
}
void check_shape(const RollingEllipsoid& ellipsoid, Check& at) {
  for (const double axis : ellipsoid.semi_axes) check_length(axis, "a semi-axis", at);
}

MovingPlane read_moving_plane(const LawTable& table) {
  MovingPlane plane;
  plane.point = table.time_vec3("position");
  plane.normal = table.direction("normal");
  plane.axis = table.has("axis") ? table.direction("axis") : plane.normal;
  plane.angle = table.time_function("angle");
  return plane;
}

Rolling read_rolling(const LawTable& table) {
  Rolling law;
  law.body = table.body("body");
  law.centre = table.vec3("position").value_or(Vec3::Zero());
  law.plane = read_moving_plane(*table.inner("plane"));
  const std::string kind = table.text("kind");
  if (kind == "rolling-sphere") {
    law.shape = RollingSphere{table.number("radius").value_or(1)};
  } else if (kind == "rolling-disk") {
    law.shape = RollingDisk{table.direction("axis"), table.number("radius").value_or(1),
                            table.number("edge").value_or(0)};
    law.upright = table.flag("upright");
  } else {
    law.shape = RollingEllipsoid{table.vec3("semi_axes").value_or(Vec3::Ones())};
  }
  return law;
}

class RollingKind final : public ConstraintKind<Rolling> {
 public:
  bool reads(std::string_view kind) const override {
    return kind == "rolling-sphere" || kind == "rolling-disk" || kind == "rolling-ellipsoid";
  }
  Rolling read(const LawTable& table) const override { return read_rolling(table); }

  void check(const Rolling& law, Check& at) const override {
    at.attitude(law.body);
    at.require(law.body != world, "the ground does not roll");
    at.require(law.centre.allFinite(), "the centre is not finite");
    std::visit([&](const auto& shape) { check_shape(shape, at); }, law.shape);
    at.of_time(law.plane.point, "the point of the plane");
    at.direction(law.plane.normal, "the normal of the plane");
    at.direction(law.plane.axis, "the axis that the plane turns about");
    at.of_time(law.plane.angle, "the angle of the plane");
    at.require(!law.upright || std::holds_alternative<RollingDisk>(law.shape),
               "only a disk can be kept upright");
  }

  std::vector<Row> rows_of(const Rolling& law, const Mechanism&) const override {
    const bool turns = moves(law.plane.angle), tilts = turns && !turns_in_itself(law.plane);
    std::vector<Row> out =
        rows({"gap", "slip 1", "slip 2"}, Row::Kind::force, moves(law.plane.point) || turns);
    out[0].rheonomic = moves(law.plane.point) || tilts;
    out[1].holonomic = out[2].holonomic = false;
    if (law.upright) out.push_back({Row::Kind::torque, true, tilts, "upright"});
    return out;
  }

  Prepared prepare(const Rolling& law, Builder& build) const override {
    return std::make_unique<RollingRows>(law, build);
  }
};

}  // namespace
}  // namespace torsor::constraint

namespace torsor {

const ConstraintKind<Rolling>& Rolling::kind() {
  static constexpr constraint::RollingKind kind;
  return kind;
}

}  // namespace torsor
