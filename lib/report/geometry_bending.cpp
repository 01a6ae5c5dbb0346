#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "dense.hpp"
#include "geometry_parts.hpp"
#include "model/body_space.hpp"
#include "run/sampler.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/model/kinematics.hpp"

// The second fundamental form of a mechanism, from its motion without loads.

namespace torsor::mechanics {

namespace {

struct Covariant {
  Vec3 force, torque;  ///< world axes, body axes
};

/// nabla_v p for p = G v, by the left-invariant canonical (+) connection of the body's group.
template <LieGroup Group>
Vector<double, 6> covariant_rate_of_momentum(const Body& body, const Vector<double, 6>& v,
                                             const Vector<double, 6>& v_dot) {
  const Mat3 J = body.particle ? Mat3(Mat3::Zero()) : body.inertia;
  const Matrix<double, 6> G = geometry::rigid_body_inertia<double>(body.mass, Vec3::Zero(), J);
  static const auto L = geometry::canonical_connection<Group>().affinities(Group::identity());
  return geometry::covariant_rate_of_covector(L, v, Vector<double, 6>(G * v), Vector<double, 6>(G * v_dot));
}

Covariant covariant_rate_of_momentum(const Body& body, const BodyMotion& motion) {
  Vector<double, 6> v, v_dot;
  v << motion.v, motion.Omega;
  v_dot << motion.vdot, motion.Omegadot;
  if (body.group == GroupProduct::direct) {
    const auto F = covariant_rate_of_momentum<geometry::RigidBodyDirect<>>(body, v, v_dot);
    return {F.head<3>(), F.tail<3>()};
  }
  v.head<3>() = motion.R.inverse() * motion.v;
  v_dot.head<3>() = motion.R.inverse() * motion.vdot - motion.Omega.cross(v.head<3>());
  const auto F = covariant_rate_of_momentum<SE3<>>(body, v, v_dot);
  return {motion.R * Vec3(F.head<3>()), F.tail<3>()};
}

/// The squared norm in G of the terms that add up to nabla_v v of one body: its acceleration, and the terms
/// with products of velocities.
double squared_terms(const Body& body, const BodyMotion& motion) {
  const double turn = motion.Omega.norm(), speed = motion.v.norm();
  double sum = body.mass * std::pow(motion.vdot.norm() + turn * speed, 2);
  if (body.particle) return sum;
  const double inertia = body.inertia.trace();
  sum += inertia * std::pow(motion.Omegadot.norm() + turn * turn, 2);
  if (body.group == GroupProduct::semidirect)
    sum += std::pow(body.mass * speed * speed, 2) / inertia;  // v x m v
  return sum;
}

/// The norm of a part of N relative to `scale`; the arguments are squares. 0 if the scale or the part is only
/// rounding of the terms of N; a part that is rounding of the scale is given as it is.
double relative_to(double scale, double part, double terms) {
  constexpr double rounding = 1e-24;
  if (scale <= rounding * terms) return 0;
  const bool cancels = part <= rounding * terms && part > rounding * scale;
  return cancels ? 0 : std::sqrt(part / scale);
}

}  // namespace

Sample measured(const Model& model, double t, const State& x, bool gives_way,
                const TreatmentParameters& friction) {
  const Treatment treatment = gives_way ? Treatment::viscous : Treatment::index_1;
  const MechanismSystem system(model, LinkLengths(model, x.q), treatment, friction);
  const std::vector<TrackedPoint> points;
  const SampleSink sink;
  const SimulationOptions options;
  Trajectory trajectory;
  Sampler sampler(system, points, options, sink, trajectory);
  sampler.take(t, x, 0);
  trajectory.summary.status = StepStatus::reached_end;
  sampler.close();
  if (trajectory.summary.status != StepStatus::reached_end)
    throw EvaluationError(trajectory.summary.status, trajectory.summary.message);
  return trajectory.samples.front();
}

namespace {

/// The reactions of each joint and constraint: the part that is due to N, and the part that is due to the
/// loads.
void report_reactions(const Mechanism& mechanism, const Sample& loaded, const Sample& free,
                      GeometryReport& report) {
  const auto add = [&](const std::string& name, const auto& all, const auto& part) {
    report.reactions.push_back({name, part.force, part.torque, all.force - part.force,
                                all.torque - part.torque, all.unique && part.unique});
  };
  for (std::size_t j = 0; j < free.joints.size(); ++j)
    add(mechanism.joints[j].name, loaded.joints[j], free.joints[j]);
  for (std::size_t k = 0; k < free.constraints.size(); ++k)
    add(mechanism.constraints[k].name, loaded.constraints[k], free.constraints[k]);
}

}  // namespace

/// Without loads, the constraints alone cause the covariant acceleration: G nabla_v v = A^T y = G N. So N is
/// the covariant acceleration of each body, and y is the part of the reactions that is due to N.
void report_bending(const Model& model, const Sample& loaded, bool gives_way, GeometryReport& report) {
  Mechanism mechanism = model.mechanism();
  mechanism.forces.clear();
  TreatmentParameters frictionless;
  frictionless.eps = std::numeric_limits<double>::infinity();
  const Model bare(mechanism, model.formulation(), model.cut());
  const Sample free = measured(bare, loaded.t, loaded.x, gives_way, frictionless);

  Workspace<double> work(bare);
  forward_kinematics(bare, loaded.x.q, loaded.x.v, work);
  Vec GN(6 * bare.size()), tau(bare.nv());
  double norm = 0, turning = 0;  // G(N, N), and the squared norm of the gyroscopic terms of N
  double terms = 0;              // the squared norm of all terms of N, before they cancel
  for (int body = 0; body < bare.size(); ++body) {
    const BodyMotion& motion = free.bodies[body];
    const Body& inert = mechanism.bodies[body];
    const int at = 6 * bare.link_of_body[body];
    const Covariant momentum = covariant_rate_of_momentum(inert, motion);
    BendingReport bending{body, momentum.force / inert.mass, Vec3::Zero()};
    if (!inert.particle) {
      const Vec3 inertial = momentum.torque - inert.inertia * motion.Omegadot;
      bending.angular = linear::least_squares(inert.inertia, momentum.torque, 0);
      turning += inertial.dot(linear::least_squares(inert.inertia, inertial, 0));
    }
    const BodyMotion& moves = loaded.bodies[body];
    report.inertial_force = std::max(report.inertial_force, inert.mass * moves.vdot.norm());
    if (!inert.particle)
      report.inertial_torque =
          std::max(report.inertial_torque,
                   inert.inertia.trace() * (moves.Omegadot.norm() + moves.Omega.squaredNorm()));
    GN.segment<3>(at) = momentum.force;
    GN.segment<3>(at + 3) = motion.R * momentum.torque;
    norm += inert.mass * bending.linear.squaredNorm() + bending.angular.dot(momentum.torque);
    terms += squared_terms(inert, motion);
    report.bending.push_back(bending);
    report.screws[body].Omega_dot = motion.Omegadot;
  }

  // P N: the part of N that reactions do not produce. If it is not zero, the canonical (+) connection does
  // not give the motion.
  const MechanismSystem system(bare, LinkLengths(bare, loaded.x.q),
                               gives_way ? Treatment::viscous : Treatment::index_1, frictionless);
  joint_forces(bare, work, GN, tau);
  Vec PN(system.nv()), y(system.rows());
  system.solve(loaded.t, loaded.x.q, tau, Vec::Zero(system.rows()), PN, y);
  system.metric_times(loaded.t, loaded.x.q, PN, tau);
  report.bending_tangential = relative_to(norm + turning, std::abs(PN.dot(tau)), terms);

  report_reactions(mechanism, loaded, free, report);
}

}  // namespace torsor::mechanics
