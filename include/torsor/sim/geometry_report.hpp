#pragma once

#include <string>
#include <vector>

#include "torsor/model/rigid_particles.hpp"
#include "torsor/sim/constrained_compatibility.hpp"
#include "torsor/sim/mechanism_system.hpp"
#include "torsor/sim/row_levels.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor {

/// A component of a tensor with its name; the greatest one of a tensor, with an empty name where all vanish.
struct NamedComponent {
  std::string name;  ///< "turn x, turn y -> turn z"
  double value = 0;
};

/// What one joint or free body adds to the configuration: a group, with its left-invariant brackets.
struct GroupReport {
  std::string name;   ///< of the joint, or of the body that hangs on none
  std::string group;  ///< "SO(3)", "R^3 x SO(3)", "SE(3)", ...
  GroupProduct product = GroupProduct::direct;
  int dimension = 0;
  std::vector<NamedComponent> brackets;  ///< c(k, i, j) of i < j that do not vanish: [e_i, e_j] = c e_k
};

/// The connection in use on one group, left-invariant, with the inertia of what moves there as metric:
/// canonical (+), L = c, or where the run steps along geodesics that of the generalized Christoffel symbols.
/// Where the mass matrix is constant the groups are those of the joints, as a top's SO(3) with the inertia
/// about the pivot; else each body has its own, and joints constrain. Greatest components: torsion t(k, i,
/// j), curvature R(i, j, k, l), non-metricity D(k, i, j).
struct ConnectionReport {
  int body = 0;
  std::string group;
  GroupProduct product = GroupProduct::direct;
  bool christoffel = false;
  NamedComponent torsion, curvature, non_metricity;
  bool metric = false;  ///< no non-metricity: of canonical (+) where the inertia is bi-invariant
  /// How far it is from the weak condition, which gives the motion, and from the strong one, that of the
  /// Christoffel connection (compatibility.hpp).
  double weak = 0, strong = 0;

  const char* name() const { return christoffel ? "christoffel" : "canonical (+)"; }
};

/// The autoparallel g exp(t n) through the present velocity of one body, in both products. World axes.
struct ScrewReport {
  int body = 0;
  GroupProduct product = GroupProduct::direct;  ///< which of the readings the body's group makes
  double turn = 0;                              ///< rad/s
  Vec3 direction = Vec3::Zero();                ///< of the axis; of the line for a translation; zero at rest
  Vec3 point = Vec3::Zero();                    ///< semi-direct: of the axis, nearest to the mass centre, m
  double pitch = 0;                             ///< semi-direct: m/rad, infinite for a translation
  Vec3 centre = Vec3::Zero();                   ///< direct: the mass centre, which runs on a straight line
  Vec3 velocity = Vec3::Zero();   ///< direct: with this velocity, m/s, while the body turns about it
  Vec3 Omega_dot = Vec3::Zero();  ///< what Omega changes by on the geodesic instead, rad/s^2, body axes
  /// What goes on where the run steps by exponentials: "line" or "screw" of a body on its own group, else of
  /// the joints that carry it, from the ground on: "exp of SO(2), SO(3)".
  std::string in_use;
};

/// Parallel transport of turning velocities u along exp(t n) of SO(3), n the present one of a body, for one
/// turn, t = 2 pi / |n|. In body axes u' = -L(n, u): u stays behind the body, about a fixed direction, by
///
///   minus: 0, goes with the body    zero: pi    plus: 2 pi, stays in space    christoffel: between
///
/// The curve is closed, so that angles but for whole turns are holonomy: none of the flat connections.
struct TransportReport {
  int body = 0;
  double duration = 0;     ///< of the turn, s
  double christoffel = 0;  ///< rad, an angle in the inertia as metric
  Vec3 kept =
      Vec3::Zero();  ///< unit vector that the Christoffel connection brings back as it was, world axes
};

struct RowReport {
  std::string constraint, what;
  RowLevel level = RowLevel::position;
  bool rheonomic = false;  ///< written with t
  bool gives_way = false;  ///< friction in its place (viscous)
  double offset = 0;       ///< a0 in A v + a0 = 0: acatastatic where it does not vanish
};

/// Whether time can be removed, by the residuals of scleronomicity.hpp for the constrained metric of events.
/// The metric of the bodies does not depend on time, so with nu = -C a0
///
///   S1(X, Y) = (L_nu G)(X, Y),   S2(X) = X(G(nu, nu)),   A X = A Y = 0.
struct TimeReport {
  std::vector<std::string> rows;    ///< constraints with rows that depend on time or are acatastatic
  std::vector<std::string> forces;  ///< whose laws depend on time; they do not enter S1 and S2
  double G_nu_nu = 0;               ///< J
  double S1 = 0;  ///< greatest rate at which the metric of an allowed direction changes, 1/s
  double S2 = 0;  ///< greatest X(G(nu, nu)) of G(X, X) = 1, J/(m sqrt kg)
  double S1_around = 0, S2_around = 0;  ///< greatest of the state and of states around it
  int states = 0;                       ///< how many were looked at
  bool removable = true;                ///< both vanish there
  /// Whether constraints that depend on time leave a velocity free at all; without, there is no verdict.
  bool has_verdict() const { return rows.empty() || directions.cols() > 0; }
  bool sampled = false;        ///< large mechanism: the residuals are those of four directions, not of all
  Eigen::MatrixXd directions;  ///< allowed ones with G(X_i, X_j) = delta_ij, in columns
  Eigen::MatrixXd S1_matrix;   ///< over these
  Vec S2_vector;
};

/// The second fundamental form N = -C gamma at the present velocity: the covariant acceleration of each body
/// that the constraints cause, joints among them, were there no loads.
struct BendingReport {
  int body = 0;
  Vec3 linear = Vec3::Zero();   ///< m/s^2, world axes
  Vec3 angular = Vec3::Zero();  ///< rad/s^2, body axes: Omega' + J^-1 (Omega x J Omega)
};

/// A reaction in two parts, A^T Lambda = G N - P_perp^T f: by the curvature of the constraints and by the
/// loads. World axes; of a joint at its point, of a constraint at the mass centre of its first body.
struct ReactionReport {
  std::string name;
  Vec3 bending_force = Vec3::Zero(), bending_torque = Vec3::Zero();
  Vec3 load_force = Vec3::Zero(), load_torque = Vec3::Zero();
  bool unique = true;
};

/// A rigid system of particles: what its nodes span, and how velocities and applied forces split into those
/// of the centre, of the rotation about it and the rest (particle_motion.hpp), a column a node, world axes.
/// The parts are orthogonal, so that energies add up; a rigid motion has no rest, and the rest of the forces
/// is what the reactions take away. What acts on the body as a whole has none either.
struct RigidParticlesReport {
  int body = 0;
  ParticleSpan span = ParticleSpan::space;
  Vec3 singular_values = Vec3::Zero();  ///< of the places about the mass centre, m
  ParticleParts<double> velocity, force;
  double kinetic_centre = 0, kinetic_rotation = 0, kinetic_rest = 0;  ///< J
  Vec3 momentum = Vec3::Zero(), angular_momentum = Vec3::Zero();      ///< m0 v_0, and about the centre
  PerParticle<double> reaction;
};

/// The geometry of a mechanism at one state.
struct GeometryReport {
  double t = 0;
  int freedoms = 0, constraint_rows = 0;  ///< velocities of the tree, and rows besides its joints
  std::vector<GroupReport> groups;
  bool geodesics = false;  ///< the run steps along geodesics, autoparallels of the Christoffel connection
  std::vector<ConnectionReport> connections;
  std::vector<RowReport> rows;
  TimeReport time;
  std::vector<ScrewReport> screws;
  std::vector<TransportReport> transport;  ///< of the bodies that turn, on the groups of `connections`
  std::vector<BendingReport> bending;
  /// Of the bodies' connections with joints and constraints. That of the geodesics is the projected one
  /// itself: both 0.
  ConstrainedCompatibility compatibility;
  /// |P N| of N by the connection in use, relative to |N| with the inertial terms it is made of: rounding
  /// where the weak condition holds for the present velocity.
  double bending_tangential = 0;
  std::vector<ReactionReport> reactions;
  std::vector<RigidParticlesReport> rigid_particles;
};

/// At the cost of a few accelerations, linear in the number of bodies, but for the bracket test and, up to 30
/// velocities, S1 and S2. Throws EvaluationError.
GeometryReport geometry_report(const Model& model, double t, const State& x,
                               const SimulationOptions& options = {});

}  // namespace torsor
