#pragma once

#include <optional>
#include <string>
#include <vector>

#include "torsor/model/rigid_particles.hpp"
#include "torsor/run/trajectory.hpp"
#include "torsor/system/detail/constrained_compatibility.hpp"
#include "torsor/system/mechanism_system.hpp"
#include "torsor/system/reactions.hpp"
#include "torsor/system/row_levels.hpp"

namespace torsor {

/// A component of a tensor with its name. Where it stands for the greatest component of a tensor, the name is
/// empty if all components vanish.
struct NamedComponent {
  std::string name;  ///< "turn x, turn y -> turn z"
  double value = 0;
};

/// The group that one joint or free body adds to the configuration, with its left-invariant brackets.
struct GroupReport {
  std::string name;   ///< of the joint, or of the body where it has no joint
  std::string group;  ///< "SO(3)", "R^3 x SO(3)", "SE(3)", ...
  GroupProduct product = GroupProduct::direct;
  int dimension = 0;
  std::vector<NamedComponent> brackets;  ///< nonzero c(k, i, j) with i < j: [e_i, e_j] = c(k, i, j) e_k
};

/// The kinetic metric of the rotations of one group, compared with the bi-invariant metric -B/2 of SO(3),
/// where B is the Killing form (canonical.hpp). The kinetic metric is a multiple of -B/2 if and only if the
/// inertia is spherical. The canonical (0) connection of SO(3) and of R^3 x SO(3) is then the Christoffel
/// connection of the kinetic metric. SE(3) has no positive definite bi-invariant metric.
struct RotationMetricReport {
  double multiple = 0;  ///< the factor c for which c (-B/2) is nearest to the kinetic metric, kg m^2
  double distance = 0;  ///< distance of the kinetic metric from this multiple, relative
  double zero = 0;      ///< distance of the (0) connection from the Christoffel connection, relative

  bool zero_is_levi_civita() const { return zero <= geometry::equal_moments; }
};

/// The left-invariant connection in use on one group, with the inertia of the moving bodies as metric: a
/// canonical connection, L = c, c/2 or 0 (canonical.hpp), or, where the run steps along geodesics, the
/// connection of the generalized Christoffel symbols. Where the mass matrix is constant, the groups are those
/// of the joints: a top has SO(3) with the inertia about the pivot. Otherwise each body has its own group,
/// and joints are constraints. Greatest components: torsion t(k, i, j), curvature R(i, j, k, l),
/// non-metricity D(k, i, j).
struct ConnectionReport {
  int body = 0;
  std::string group;
  GroupProduct product = GroupProduct::direct;
  StepConnection connection = StepConnection::canonical_plus;
  NamedComponent torsion, curvature, non_metricity;
  bool metric = false;  ///< no non-metricity; for canonical (+): the inertia is bi-invariant
  /// Residuals of the weak condition, under which the connection gives the motion, and of the strong
  /// condition, which only the Christoffel connection meets (compatibility.hpp).
  double weak = 0, strong = 0;
  std::optional<RotationMetricReport> rotations;  ///< only for groups that contain SO(3)

  /// Whether nabla_v p = f by this connection is the equation of motion, to rounding.
  bool gives_motion() const { return weak <= geometry::equal_moments; }
};

/// The autoparallel g exp(t n) with the present velocity of one body, for both products. World axes. A
/// velocity that is rounding of the greatest one in the mechanism is zero.
struct ScrewReport {
  int body = 0;
  GroupProduct product = GroupProduct::direct;  ///< of the body's group: which of the two applies
  double turn = 0;                              ///< rad/s
  Vec3 direction = Vec3::Zero();  ///< of the axis, or of the line of a translation; zero at rest
  Vec3 point = Vec3::Zero();      ///< semi-direct: point of the axis nearest to the mass centre, m
  double pitch = 0;               ///< semi-direct: m/rad, infinite for a translation
  Vec3 centre = Vec3::Zero();     ///< direct: the mass centre, which moves on a straight line
  Vec3 velocity = Vec3::Zero();   ///< direct: of the mass centre, m/s, while the body turns about it
  Vec3 Omega_dot = Vec3::Zero();  ///< Omega' of the motion without loads (geodesic), rad/s^2, body axes
  /// The curve of the body where the run steps by exponentials: "line" or "screw" for a body on its own
  /// group; otherwise the groups of the joints from the ground to the body, as "exp of SO(2), SO(3)", "exp
  /// of 5 joints" for more than three, "rest" for none.
  std::string in_use;
};

/// Parallel transport of angular velocities u along exp(t n) of SO(3) for one turn, t = 2 pi / |n|, where n
/// is the present angular velocity of a body. In body axes u' = -L(n, u): u turns relative to the body,
/// about a fixed direction, by the angle
///
///   minus: 0, fixed in the body    zero: pi    plus: 2 pi, fixed in space    christoffel: from 0 to 2 pi
///
/// The curve is closed, so this angle modulo 2 pi is the holonomy. It vanishes for the flat connections.
struct TransportReport {
  int body = 0;
  double duration = 0;     ///< of the turn, s
  double christoffel = 0;  ///< the angle of this connection, rad, with the inertia as metric
  /// Unit vector that the transport by the Christoffel connection returns unchanged, world axes.
  Vec3 kept = Vec3::Zero();
};

struct RowReport {
  std::string constraint, what;
  RowLevel level = RowLevel::position;
  bool rheonomic = false;  ///< depends on t as written
  bool gives_way = false;  ///< replaced by friction (viscous)
  double offset = 0;       ///< a0 in A v + a0 = 0; the row is acatastatic if it is nonzero
  /// How a violation would evolve; empty with the treatment viscous, beyond 60 velocities, and in
  /// coordinates.
  std::optional<RowMotion> motion = {};
};

/// Whether time can be removed, by the residuals of scleronomicity.hpp for the constrained metric of events.
/// The metric of the bodies does not depend on time. Therefore, with nu = -C a0,
///
///   S1(X, Y) = (L_nu G)(X, Y),   S2(X) = X(G(nu, nu)),   A X = A Y = 0.
struct TimeReport {
  std::vector<std::string> rows;    ///< constraints with rheonomic or acatastatic rows
  std::vector<std::string> forces;  ///< forces whose laws depend on time; they do not enter S1 and S2
  double G_nu_nu = 0;               ///< G(nu, nu), J
  double S1 = 0;  ///< greatest rate at which the metric of an allowed direction changes, 1/s
  double S2 = 0;  ///< greatest X(G(nu, nu)) over G(X, X) = 1, J/(m sqrt kg)
  double S1_around = 0, S2_around = 0;  ///< greatest over the state and states around it
  /// The scales of S1 and S2: u/L and G(nu, nu)/(L sqrt(m)), with u the speed of nu, L the length of the
  /// mechanism and m the greatest mass of a body.
  double S1_terms = 0, S2_terms = 0;
  int states = 0;         ///< number of states that were examined
  bool removable = true;  ///< both residuals vanish at these states
  /// False if constraints that depend on time leave no velocity free, or if the report is undecided().
  bool has_verdict() const { return rows.empty() || (directions.cols() > 0 && !undecided(*this)); }
  bool sampled = false;        ///< large mechanism: residuals over at most four directions
  Eigen::MatrixXd directions;  ///< allowed directions, G(X_i, X_j) = delta_ij, in columns
  Eigen::MatrixXd S1_matrix;   ///< over `directions`
  Vec S2_vector;
};

/// The second fundamental form N = -C gamma at the present velocity: the covariant acceleration that
/// constraints and joints would cause in each body without loads.
struct BendingReport {
  int body = 0;
  Vec3 linear = Vec3::Zero();   ///< m/s^2, world axes
  Vec3 angular = Vec3::Zero();  ///< rad/s^2, body axes: Omega' + J^-1 (Omega x J Omega)
};

/// A reaction in two parts, A^T Lambda = G N - P_perp^T f: the first from the second fundamental form of the
/// constraints, the second from the loads. World axes. The reaction of a joint acts at its point, that of a
/// constraint at the mass centre of its first body.
struct ReactionReport {
  std::string name;
  Vec3 bending_force = Vec3::Zero(), bending_torque = Vec3::Zero();
  Vec3 load_force = Vec3::Zero(), load_torque = Vec3::Zero();
  bool unique = true;
};

/// A rigid system of particles: the span of its nodes, and the splitting of velocities and applied forces
/// into the motion of the centre, the rotation about it, and the remainder `rest` (particle_motion.hpp),
/// one column for each node, world axes. The parts are orthogonal, so their energies add up. The remainder
/// of a rigid motion is zero, and the reactions balance the remainder of the forces. Forces that act on the
/// body as a whole have no remainder.
struct RigidParticlesReport {
  int body = 0;
  geometry::ParticleSpan span = geometry::ParticleSpan::space;
  Vec3 singular_values = Vec3::Zero();  ///< of the node positions about the mass centre, m
  geometry::ParticleParts<double> velocity, force;
  double kinetic_centre = 0, kinetic_rotation = 0, kinetic_rest = 0;  ///< J
  Vec3 momentum = Vec3::Zero(), angular_momentum = Vec3::Zero();      ///< m0 v_0; about the mass centre
  geometry::PerParticle<double> reaction;
};

/// The geometry of a mechanism at one state.
struct GeometryReport {
  double t = 0;
  int freedoms = 0, constraint_rows = 0;  ///< velocities of the tree; rows without inboard joints
  std::vector<GroupReport> groups;
  StepConnection connection = StepConnection::canonical_plus;  ///< in use: the steps follow its autoparallels
  std::vector<ConnectionReport> connections;
  std::vector<RowReport> rows;
  TimeReport time;
  std::vector<ScrewReport> screws;
  std::vector<TransportReport> transport;  ///< of the bodies that turn, on the groups of `connections`
  std::vector<BendingReport> bending;
  /// Compatibility of the bodies' connections in use under joints and constraints. Both residuals are 0 for
  /// geodesics, which use the projected Christoffel connection itself.
  ConstrainedCompatibility compatibility;
  /// |P N|, with N by the canonical (+) connection, relative to the norm of N and its inertial terms; 0 if
  /// these are only rounding. It is rounding where the weak condition holds for the present velocity.
  double bending_tangential = 0;
  std::vector<ReactionReport> reactions;
  double inertial_force = 0, inertial_torque = 0;  ///< greatest of one body, N, N m: the scale of reactions
  std::vector<RigidParticlesReport> rigid_particles;

  bool geodesics() const { return connection == StepConnection::christoffel; }
};

/// x: its velocities may be followed by the own states of the mechanism, as at the end of a run.
///
/// The cost is that of a few accelerations, linear in the number of bodies. Only the following parts use
/// dense matrices: the bracket test, the motions of rows and `compatibility`, up to 60 velocities, and S1 and
/// S2, up to 30. Throws EvaluationError.
GeometryReport geometry_report(const Model& model, double t, const State& x,
                               const SimulationOptions& options = {});

}  // namespace torsor
