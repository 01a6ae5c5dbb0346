#include "joint_fit.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>

#include "dense.hpp"
#include "model/declared_joint.hpp"

namespace torsor {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using Column = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
using Coordinates = std::array<double, 7>;

Coordinates zero_coordinates(JointKind kind) {
  Coordinates q{};
  if (joint_type(kind).quaternion) q[coordinate_count(kind) - 1] = 1;
  return q;
}

/// Jacobian of the mass centre's velocity and of the angular velocity, axes of F, for the rates of the joint.
Rows body_jacobian(const Model& model, int link, const double* q) {
  const int n = freedom_count(model.kind[link]);
  const SE3<> X_FM = inboard_pose(model, link, q);
  const Matrix<double, 6> unit = Matrix<double, 6>::Identity();
  Rows J(6, n);
  for (int k = 0; k < n; ++k) {
    const Vector<double, 6> twist = inboard_twist(model, link, q, unit.col(k).data());
    const Vec3 v = twist.head<3>(), omega = twist.tail<3>();
    J.col(k) << X_FM.R * Vec3(v + omega.cross(model.X_MB[link].p)), X_FM.R * omega;
  }
  return J;
}

Coordinates moved(JointKind kind, Coordinates q, const Column& step) {
  if (kind == JointKind::spherical) {
    (SO3<>::from(q.data()) * SO3<>::exp(Vec3(step))).normalized().to(q.data());
    return q;
  }
  for (int k = 0; k < step.size(); ++k) q[k] += step[k];
  return q;
}

/// Moves the mass centre to x_F by Gauss-Newton steps from q; for a body whose attitude is not known.
Coordinates turn_to(const Model& model, int link, const Vec3& x_F, Coordinates q) {
  constexpr int most_steps = 30;
  for (int step = 0; step < most_steps; ++step) {
    const Column off = x_F - inboard_pose(model, link, q.data()) * model.X_MB[link].p;
    if (off.norm() <= 1e-15 * std::max(1., x_F.norm())) break;
    q = moved(model.kind[link], q,
              linear::least_squares(body_jacobian(model, link, q.data()).topRows(3), off));
  }
  return q;
}

double distance(const Model& model, int link, const Vec3& x_F, const Coordinates& q) {
  return (x_F - inboard_pose(model, link, q.data()) * model.X_MB[link].p).norm();
}

}  // namespace

void fit_coordinates(const Model& model, int link, const KnownPose& known, double* q) {
  const JointKind kind = model.kind[link];
  const int n = coordinate_count(kind);
  Coordinates best = zero_coordinates(kind);
  SE3<> X_FM = inboard_pose(model, link, best.data());
  const SE3<>& X_MB = model.X_MB[link];
  if (known.R_FB) X_FM.R = *known.R_FB * X_MB.R.inverse();
  if (known.x_F) X_FM.p = *known.x_F - X_FM.R * X_MB.p;
  inboard_coordinates(model, link, X_FM, best.data());

  if (known.x_F && !known.R_FB && n > 0 && kind != JointKind::free) {
    const Vec3& x_F = *known.x_F;
    const auto consider = [&](const Coordinates& other) {
      if (distance(model, link, x_F, other) < distance(model, link, x_F, best)) best = other;
    };
    const Coordinates zero = zero_coordinates(kind);
    consider(turn_to(model, link, x_F, zero));
    // If the mass centre moves on a circle and is diametrically opposite x_F, the Gauss-Newton step is zero.
    // A start 1 rad (or 1 m) away avoids this.
    consider(turn_to(model, link, x_F, moved(kind, zero, Column::Ones(freedom_count(kind)))));
  }
  std::copy_n(best.begin(), n, q);
}

void fit_rates(const Model& model, int link, const KnownTwist& known, const double* q, double* v) {
  const int n = freedom_count(model.kind[link]);
  if (n == 0) return;
  Eigen::Map<Column> rates(v, n);
  rates.setZero();
  const Rows J = body_jacobian(model, link, q);
  Column b(6);
  if (known.v_F) b.head<3>() = *known.v_F;
  if (known.omega_F) b.tail<3>() = *known.omega_F;
  if (known.v_F && known.omega_F && n == 6) {
    // The last three rates alone turn the body. One solution for all six would add the rounding error of the
    // velocity, in m/s, to a small angular velocity.
    rates.tail<3>() = linear::least_squares(J.bottomRightCorner<3, 3>(), *known.omega_F);
    const Vec3 left = *known.v_F - J.topRightCorner<3, 3>() * rates.tail<3>();
    rates.head<3>() = linear::least_squares(J.topLeftCorner<3, 3>(), left);
  } else if (known.v_F && known.omega_F)
    rates = linear::least_squares(J, b);
  else if (known.v_F)
    rates = linear::least_squares(J.topRows(3), b.head<3>());
  else if (known.omega_F)
    rates = linear::least_squares(J.bottomRows(3), b.tail<3>());
}

}  // namespace torsor
