#pragma once

#include <optional>
#include <span>

#include "torsor/sim/geometry_report.hpp"

namespace torsor::sim {

/// A group on which the inertia of what moves there is constant.
struct InvariantGroup {
  int body = 0;
  JointKind kind = JointKind::free;
  GroupProduct product = GroupProduct::direct;
  Mat3 R_MB = Mat3::Identity();  ///< axes of the body in those of the inertia
  Eigen::MatrixXd inertia;       ///< metric in the left-invariant frame
};
/// Those of the joints where the mass matrix is constant, else one of each body, as if it were free.
std::vector<InvariantGroup> invariant_groups(const Model& model);

GroupReport group_report(std::string name, JointKind kind, GroupProduct product);
ConnectionReport connection_report(const InvariantGroup& group, bool christoffel);
ScrewReport screw_report(const Model& model, int body, const BodyMotion& motion);
/// None where the body doesn't turn, or in a plane alone.
std::optional<TransportReport> transport_report(const InvariantGroup& group, const BodyMotion& motion);
/// Of a body with nodes, `nodes` their motions.
RigidParticlesReport rigid_particles_report(const Mechanism& mechanism, int body, const BodyMotion& motion,
                                            std::span<const BodyMotion> nodes);
TimeReport time_report(const MechanismSystem& system, double t, const Vec& q);

/// N, its part along the constraints, and what they exert: `loaded` is the state with its loads.
void report_bending(const Model& model, const Sample& loaded, bool gives_way, GeometryReport& report);

/// One state, measured, with friction in place of rows without phi where they give way.
Sample measured(const Model& model, double t, const State& x, bool gives_way,
                const TreatmentParameters& friction);

}  // namespace torsor::sim
