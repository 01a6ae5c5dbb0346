#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "geometry_parts.hpp"
#include "sampler.hpp"
#include "torsor/model/body_space.hpp"
#include "torsor/model/kinematics.hpp"

// The second fundamental form of a mechanism: its motion without loads.

namespace torsor::sim {

Sample measured(const Model& model, double t, const State& x, bool gives_way,
                const TreatmentParameters& friction) {
  const Treatment treatment = gives_way ? Treatment::viscous : Treatment::index_1;
  const MechanismSystem system(model, mechanism_length(model, x.q), treatment, friction);
  const std::vector<TrackedPoint> points;
  const SampleSink sink;
  Trajectory trajectory;
  Sampler sampler(system, points, sink, trajectory);
  sampler.take(t, x, 0);
  trajectory.summary.status = StepStatus::reached_end;
  sampler.close();
  if (trajectory.summary.status != StepStatus::reached_end)
    throw EvaluationError(trajectory.summary.status, trajectory.summary.message);
  return trajectory.samples.front();
}

/// Without loads the constraints alone bend the motion: G nabla_v v = A^T y = G N, so that N is the covariant
/// acceleration of each body and y is the part of the reactions that N explains.
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
  double norm = 0, turning = 0;  // G(N, N), and of the inertial terms that N comes from
  for (int body = 0; body < bare.size(); ++body) {
    const BodyMotion& motion = free.bodies[body];
    const Body& inert = mechanism.bodies[body];
    const int at = 6 * bare.link_of_body[body];
    BendingReport bending{body, motion.vdot, Vec3::Zero()};
    Vec3 torque = Vec3::Zero();
    if (!inert.particle) {
      const Vec3 gyroscopic = motion.Omega.cross(inert.inertia * motion.Omega);
      const Eigen::LDLT<Mat3> inertia(inert.inertia);
      torque = inert.inertia * motion.Omegadot + gyroscopic;
      bending.angular = inertia.solve(torque);
      turning += gyroscopic.dot(inertia.solve(gyroscopic));
    }
    GN.segment<3>(at) = inert.mass * bending.linear;
    GN.segment<3>(at + 3) = motion.R * torque;
    norm += inert.mass * bending.linear.squaredNorm() + bending.angular.dot(torque);
    report.bending.push_back(bending);
  }

  // P N: what of G N no reaction makes.
  const MechanismSystem system(bare, mechanism_length(bare, loaded.x.q),
                               gives_way ? Treatment::viscous : Treatment::index_1, frictionless);
  joint_forces(bare, work, GN, tau);
  Vec PN(system.nv()), y(system.rows());
  system.solve(loaded.t, loaded.x.q, tau, Vec::Zero(system.rows()), PN, y);
  system.metric_times(loaded.t, loaded.x.q, PN, tau);
  const double scale = norm + turning;
  report.bending_tangential = scale > 0 ? std::sqrt(std::abs(PN.dot(tau)) / scale) : 0;

  const auto add = [&](const std::string& name, const auto& all, const auto& part) {
    report.reactions.push_back({name, part.force, part.torque, all.force - part.force,
                                all.torque - part.torque, all.unique && part.unique});
  };
  for (std::size_t j = 0; j < free.joints.size(); ++j)
    add(mechanism.joints[j].name, loaded.joints[j], free.joints[j]);
  for (std::size_t k = 0; k < free.constraints.size(); ++k)
    add(mechanism.constraints[k].name, loaded.constraints[k], free.constraints[k]);
}

}  // namespace torsor::sim
