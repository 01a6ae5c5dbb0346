#include "constraint_joints.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <optional>
#include <span>

#include "torsor/lie/so3.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::constraint {
namespace {

using Motion = JointCoordinate::Motion;

RelativePosition relative_position(const JointFrames& joint, const BodyAt& P, const BodyAt& C) {
  return {P, point_at(P, joint.p_PF), point_at(C, joint.p_CM)};
}

Matrix3 axes_of_F(const JointFrames& joint, const BodyAt& P) {
  return joint.aligned ? P.R : P.R * joint.R_PF;
}

/// Axes of the frames F and M as matrices, and their angular velocities; world axes.
struct Attitudes {
  Attitudes(const JointFrames& joint, const BodyAt& P, const BodyAt& C)
      : F(axes_of_F(joint, P)), M(C.R * joint.R_CM), w_P(P.w), w_C(C.w), w(C.w - P.w) {}

  Matrix3 F, M;
  Vector3 w_P, w_C, w;  ///< w: of M relative to F
};

/// The axis a, fixed in F, stays perpendicular to the axis b, fixed in M: phi = -a . b. The reaction is a
/// torque about a x b.
PairRow perpendicular(const Attitudes& at, const Vector3& a, const Vector3& b) {
  const Vector3 rate = cross(cross(at.w_P, a), b) + cross(a, cross(at.w_C, b));
  return turning(-dot(a, b), dot(rate, at.w), cross(a, b));
}

/// phi = 2 r, where (r, s) is the quaternion of R_FM with s >= 0. With w in axes of F
///   2 r' = s w + w x r,   2 s' = -w . r,   (2 r)'' = -|w|^2 r / 2 + s w' + w' x r.
class QuaternionRows {
 public:
  explicit QuaternionRows(const Attitudes& at) : at_(at) {
    const auto R_FM =
        Matrix3::from_rows(transpose_times(at.M, at.F.col_x()), transpose_times(at.M, at.F.col_y()),
                           transpose_times(at.M, at.F.col_z()));
    const SO3<> q = SO3<>::from_matrix(R_FM.eigen());
    const double sign = q.w() < 0 ? -1 : 1;
    s_ = sign * q.w(), r_ = sign * Vector3(q.vec());
    const Vector3 drift = -transpose_times(at.F, cross(at.w_P, at.w_C));  // w' without w_P', w_C'
    gamma_ = -0.5 * dot(at.w, at.w) * r_ + s_ * drift + cross(drift, r_);
  }
  PairRow about_x() const { return turning(2 * r_.x, gamma_.x, at_.F * Vector3(s_, r_.z, -r_.y)); }
  PairRow about_y() const { return turning(2 * r_.y, gamma_.y, at_.F * Vector3(-r_.z, s_, r_.x)); }
  PairRow about_z() const { return turning(2 * r_.z, gamma_.z, at_.F * Vector3(r_.y, -r_.x, s_)); }

 private:
  const Attitudes& at_;
  double s_;
  Vector3 r_, gamma_;
};

/// The angle about z, defined also if z_M is not parallel to z_F: the twist angle of R_FM in its
/// decomposition into a swing and a twist about z.
PairRow angle_about_z(const Attitudes& at) {
  const Vector3 x = at.F.col_x(), y = at.F.col_y(), z = at.F.col_z(), z_M = at.M.col_z();
  const double sine = dot(at.M.col_x(), y) - dot(at.M.col_y(), x);
  const double cosine = dot(at.M.col_x(), x) + dot(at.M.col_y(), y);
  const double scale = 1 / (1 + dot(z, z_M));
  const Vector3 direction = scale * (z + z_M);
  const double scale_rate = dot(at.w, cross(z_M, z));  // the rate of 1 + z . z_M: w . (z_M x z)
  const Vector3 rate = scale * (cross(at.w_P, z) + cross(at.w_C, z_M) - scale_rate * direction);
  return turning(arctan2(sine, cosine), dot(rate, at.w), direction);
}

/// A coordinate of a universal joint, whose cross has the arms x_F and y_M. Coordinate 0 is the angle from
/// y_F to y_M about x_F, coordinate 1 the angle from x_F to x_M about y_M. Here e is the axis of the angle,
/// and a is the other arm of the cross.
PairRow universal_angle(const Attitudes& at, int coordinate) {
  const Vector3 x = at.F.col_x(), y = at.M.col_y();
  const Vector3 x_rate = cross(at.w_P, x), y_rate = cross(at.w_C, y);
  const bool first = coordinate == 0;
  const double angle = first ? arctan2(dot(y, at.F.col_z()), dot(y, at.F.col_y()))
                             : arctan2(dot(x, at.M.col_z()), dot(x, at.M.col_x()));
  const Vector3 e = first ? x : y, a = first ? y : x;
  const Vector3 e_rate = first ? x_rate : y_rate, a_rate = first ? y_rate : x_rate;
  const double lean = dot(x, y), lean_rate = dot(x_rate, y) + dot(x, y_rate);
  const double scale = 1 / (1 - lean * lean);
  const Vector3 direction = scale * (e - lean * a);
  const Vector3 rate = scale * (e_rate - lean_rate * a - lean * a_rate + 2 * lean * lean_rate * direction);
  return turning(angle, dot(rate, at.w), direction);
}

/// The displacement along z minus pitch * angle. The number of full turns in the angle is the one that agrees
/// best with the displacement.
PairRow helix(const JointFrames& joint, const RelativePosition& position, const Attitudes& at) {
  constexpr double turn = 2 * std::numbers::pi;
  const double pitch = joint.pitch;
  PairRow row = position.along(at.F.col_z());
  if (pitch == 0) return row;
  const PairRow angle = angle_about_z(at);
  const double turns = std::round((row.phi / pitch - angle.phi) / turn);
  row.phi -= pitch * (angle.phi + turn * turns);
  row.gamma -= pitch * angle.gamma;
  row.ang_C -= pitch * angle.ang_C;
  row.ang_P -= pitch * angle.ang_P;
  return row;
}

}  // namespace

/// `flatten` inlines all calls, since the called functions return large structs (rows and points).
[[gnu::flatten]] void put_joint_rows(const JointFrames& joint, const Workspace<double>& work,
                                     const RowSink& out) {
  const BodyAt P = body_at(joint.P, work), C = body_at(joint.C, work);
  const RelativePosition position = relative_position(joint, P, C);
  const std::span<const JointRow> rows = joint_type(joint.kind).rows;
  if (rows.back() <= JointRow::along_z && rows.size() == 3) {  // no row needs the attitude of M
    const Matrix3 F = axes_of_F(joint, P);
    put(out, 0, joint.P, joint.C, position.along(F.col_x()));
    put(out, 1, joint.P, joint.C, position.along(F.col_y()));
    put(out, 2, joint.P, joint.C, position.along(F.col_z()));
    return;
  }
  const Attitudes at(joint, P, C);
  // perpendicular is singular at a tilt of a quarter turn, and vanishes again at half a turn. Far from
  // parallel axes, the rows of a tilt are those of a turn, which vanish only if the axes are parallel.
  const bool far = dot(at.F.col_z(), at.M.col_z()) < 0.5;
  std::optional<QuaternionRows> turn;
  if (far || std::find(rows.begin(), rows.end(), JointRow::turn_x) != rows.end()) turn.emplace(at);
  const auto row = [&](JointRow kind) {
    switch (kind) {
      case JointRow::along_x:
        return position.along(at.F.col_x());
      case JointRow::along_y:
        return position.along(at.F.col_y());
      case JointRow::along_z:
        return position.along(at.F.col_z());
      case JointRow::tilt_x:
        return far ? turn->about_x() : perpendicular(at, at.F.col_y(), at.M.col_z());
      case JointRow::tilt_y:
        return far ? turn->about_y() : perpendicular(at, -at.F.col_x(), at.M.col_z());
      case JointRow::crossed:
        return perpendicular(at, at.F.col_x(), at.M.col_y());
      case JointRow::turn_x:
        return turn->about_x();
      case JointRow::turn_y:
        return turn->about_y();
      case JointRow::turn_z:
        return turn->about_z();
      case JointRow::rise:
        break;
    }
    return helix(joint, position, at);
  };
  for (std::size_t k = 0; k < rows.size(); ++k) put(out, static_cast<int>(k), joint.P, joint.C, row(rows[k]));
}

void put_constant_velocity_rows(const JointFrames& joint, const Workspace<double>& work, const RowSink& out) {
  const BodyAt P = body_at(joint.P, work), C = body_at(joint.C, work);
  const RelativePosition position = relative_position(joint, P, C);
  const Attitudes at(joint, P, C);
  put(out, 0, joint.P, joint.C, position.along(at.F.col_x()));
  put(out, 1, joint.P, joint.C, position.along(at.F.col_y()));
  put(out, 2, joint.P, joint.C, position.along(at.F.col_z()));
  put(out, 3, joint.P, joint.C, QuaternionRows(at).about_z());
}

bool has_coordinates(JointKind kind) {
  const auto coordinates = joint_type(kind).coordinates;
  return !coordinates.empty() && coordinates.front().motion != Motion::none;
}

bool is_angle(JointKind kind, int coordinate) {
  const auto coordinates = joint_type(kind).coordinates;
  return coordinate < static_cast<int>(coordinates.size()) && coordinates[coordinate].motion >= Motion::angle;
}

PairRow coordinate_row(const JointFrames& joint, int coordinate, const Workspace<double>& work) {
  const BodyAt P = body_at(joint.P, work), C = body_at(joint.C, work);
  const Attitudes at(joint, P, C);
  const RelativePosition position = relative_position(joint, P, C);
  switch (joint_type(joint.kind).coordinates[coordinate].motion) {
    case Motion::along_x:
      return position.along(at.F.col_x());
    case Motion::along_y:
      return position.along(at.F.col_y());
    case Motion::cross_angle:
      return universal_angle(at, coordinate);
    case Motion::angle:
    case Motion::helix_angle:
      return angle_about_z(at);
    default:
      return position.along(at.F.col_z());
  }
}

}  // namespace torsor::constraint
