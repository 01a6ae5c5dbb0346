#pragma once

#include <span>

#include "torsor/sim/geometry_report.hpp"

namespace torsor::sim {

GroupReport group_report(std::string name, JointKind kind, GroupProduct product);
std::vector<ConnectionReport> connection_reports(const Model& model, bool christoffel);
ScrewReport screw_report(const Mechanism& mechanism, int body, const BodyMotion& motion);
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
