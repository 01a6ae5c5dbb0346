#pragma once

#include <optional>
#include <span>

#include "torsor/geometry/canonical.hpp"
#include "torsor/report/geometry_report.hpp"

namespace torsor::mechanics {

/// A group of the configuration on which the metric is constant in the left-invariant frame.
struct InvariantGroup {
  int body = 0;
  JointKind kind = JointKind::free;
  GroupProduct product = GroupProduct::direct;
  Mat3 R_MB = Mat3::Identity();  ///< from the axes of the body to those of `inertia`
  Eigen::MatrixXd inertia;       ///< metric in the left-invariant frame
};
/// The groups of the joints if the mass matrix is constant, otherwise one group for each body, as if the
/// body were free.
std::vector<InvariantGroup> invariant_groups(const Model& model);

/// The metric of rotations alone, for a group that contains SO(3). On R^3 x SO(3) and SE(3) it is the minimum
/// of the metric over the translations: the inertia about the mass centre.
Mat3 inertia_of_turns(const Eigen::MatrixXd& G);

GroupReport group_report(std::string name, JointKind kind, GroupProduct product);
ConnectionReport connection_report(const InvariantGroup& group, StepConnection connection);
/// The member of the canonical connections; `plus` for christoffel.
geometry::Canonical canonical_member(StepConnection connection);
/// The greatest speed in a mechanism, m/s: of mass centres, and of points at a radius of gyration.
double greatest_speed(const Model& model, std::span<const BodyMotion> motions);
/// `greatest`: greatest_speed. A velocity that is only rounding of it counts as zero.
ScrewReport screw_report(const Model& model, int body, const BodyMotion& motion, double greatest);
/// Empty if the body does not turn, or if its group has rotations in a plane only.
std::optional<TransportReport> transport_report(const InvariantGroup& group, const BodyMotion& motion);
/// For a body with nodes; `nodes` holds the motions of the nodes.
RigidParticlesReport rigid_particles_report(const Mechanism& mechanism, int body, const BodyMotion& motion,
                                            std::span<const BodyMotion> nodes);
TimeReport time_report(const MechanismSystem& system, double t, const Vec& q);

/// Adds to the report: the second fundamental form N, the norm of its part along the allowed directions,
/// and the reactions, split into those due to N and those due to the loads. `loaded` is the sample of the
/// state with its loads.
void report_bending(const Model& model, const Sample& loaded, bool gives_way, GeometryReport& report);

/// The sample of one state. If `gives_way`, viscous friction replaces the rows without phi.
Sample measured(const Model& model, double t, const State& x, bool gives_way,
                const TreatmentParameters& friction);

}  // namespace torsor::mechanics
