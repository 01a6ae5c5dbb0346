#include <algorithm>
#include <array>
#include <cmath>

#include "dense.hpp"
#include "geometry_parts.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/compatibility.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/geometry/screw.hpp"
#include "torsor/integrators/euler_poincare.hpp"
#include "torsor/model/joint_kind.hpp"
#include "torsor/system/tree_system.hpp"

// The groups of a mechanism, and the reports on single bodies.

namespace torsor::mechanics {
namespace {

using Names = std::vector<std::string>;

const Names turns = {"turn x", "turn y", "turn z"};
const Names slides = {"slide x", "slide y", "slide z"};
const Names slides_and_turns = {"slide x", "slide y", "slide z", "turn x", "turn y", "turn z"};

template <LieGroup G>
std::vector<NamedComponent> brackets(const Names& axes) {
  const auto c = geometry::LeftInvariantFrame<G>::structure_coefficients(G::identity());
  std::vector<NamedComponent> all;
  for (int i = 0; i < c.size(); ++i)
    for (int j = i + 1; j < c.size(); ++j)
      for (int k = 0; k < c.size(); ++k)
        if (c(k, i, j) != 0) all.push_back({axes[i] + ", " + axes[j] + " -> " + axes[k], c(k, i, j)});
  return all;
}

/// Keeps the component of greatest magnitude; of several, the first.
template <class Name, class... Indices>
void see(NamedComponent& most, double value, const Name& name_of, Indices... indices) {
  if (std::abs(value) > std::abs(most.value)) most = {name_of(indices...), value};
}

/// A component below this fraction of the terms that it is made of counts as zero.
constexpr double of_rounding = 1e-13;

/// `strong`: the affinities of the Christoffel connection.
template <LieGroup G>
RotationMetricReport rotation_metric(const Matrix<double, G::dof>& inertia,
                                     const geometry::Tensor3<double, G::dof>& strong) {
  const auto c = geometry::LeftInvariantFrame<SO3<>>::structure_coefficients(SO3<>());
  const Mat3 bi_invariant = -0.5 * geometry::killing_form(c);
  const auto nearest = geometry::nearest_multiple(inertia_of_turns(inertia), bi_invariant);
  const auto zero = geometry::canonical_connection<G>(geometry::Canonical::zero).affinities(G());
  return {nearest.factor, nearest.distance, geometry::compatibility(zero, strong, inertia).strong};
}

/// The weak residual in a basis of vectors of about unit length, so that masses do not hide moments of
/// inertia.
template <int n>
double weak_of_unit_vectors(const geometry::Tensor3<double, n>& L, const geometry::Tensor3<double, n>& strong,
                            const Matrix<double, n>& inertia) {
  const Vector<double, n> unit = linear::unit_scales(inertia);
  const Matrix<double, n> metric = unit.asDiagonal() * inertia * unit.asDiagonal();
  return geometry::compatibility(geometry::in_scaled_basis(L, unit), geometry::in_scaled_basis(strong, unit),
                                 metric)
      .weak;
}

template <LieGroup G, class Affinities>
void describe(const geometry::Connection<geometry::LeftInvariantFrame<G>, Affinities>& connection,
              const Names& axes, const Matrix<double, G::dof>& inertia, ConnectionReport& report) {
  constexpr int n = G::dof;
  const auto at = G::identity();
  const geometry::Constant<Matrix<double, n>> metric{inertia};
  const auto L = connection.affinities(at);
  const auto c = connection.frame.structure_coefficients(at);
  const auto t = torsion(connection, at);
  const auto R = curvature(L, c);
  const auto D = geometry::non_metricity(connection, metric, at);
  const auto maps = [&](int k, int i, int j) { return axes[i] + ", " + axes[j] + " -> " + axes[k]; };
  const auto lowers = [&](int k, int i, int j) { return axes[k] + ": " + axes[i] + ", " + axes[j]; };
  const auto rotates = [&](int i, int j, int k, int l) {
    return axes[k] + ", " + axes[l] + ": " + axes[j] + " -> " + axes[i];
  };
  // Components have different units; each index counts in units of the length sqrt(g_ii) of its basis vector.
  const Vector<double, n> length = inertia.diagonal().cwiseSqrt();
  double terms = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        terms = std::max(terms, std::max(std::abs(L(k, i, j)), std::abs(c(k, i, j))) * length[k] /
                                    (length[i] * length[j]));
  const auto see_all = [](NamedComponent& most, double value, double scale, const auto& name_of,
                          auto... at_) {
    if (std::abs(value) > of_rounding * scale) see(most, value, name_of, at_...);
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const double area = length[i] * length[j];
        see_all(report.torsion, t(k, i, j), terms * area / length[k], maps, k, i, j);
        see_all(report.non_metricity, D(k, i, j), terms * area * length[k], lowers, k, i, j);
        for (int l = 0; l < n; ++l)
          see_all(report.curvature, R(i, j, k, l),
                  terms * terms * length[j] * length[k] * length[l] / length[i], rotates, i, j, k, l);
      }
    }
  }
  report.metric = report.non_metricity.name.empty();
  const auto strong = geometry::christoffel(connection.frame, metric).affinities(at);
  report.weak = weak_of_unit_vectors<n>(L, strong, inertia);
  report.strong = compatibility(L, strong, inertia).strong;
  report.rotations = rotation_metric<G>(inertia, strong);
}

template <LieGroup G>
void describe(const Names& axes, const Matrix<double, G::dof>& inertia, ConnectionReport& report) {
  const auto canonical = geometry::canonical_connection<G>(canonical_member(report.connection));
  const geometry::Constant<Matrix<double, G::dof>> metric{inertia};
  if (report.connection == StepConnection::christoffel)
    describe<G>(geometry::christoffel(canonical.frame, metric), axes, inertia, report);
  else
    describe<G>(canonical, axes, inertia, report);
}

/// Describes the connection of the report on the group of a joint whose metric is invariant. The groups of
/// all joints other than spherical and free ones are commutative: all affinities vanish.
void describe(JointKind kind, const Eigen::MatrixXd& inertia, ConnectionReport& report) {
  if (kind == JointKind::spherical)
    describe<SO3<>>(turns, inertia, report);
  else if (kind == JointKind::free && report.product == GroupProduct::direct)
    describe<geometry::RigidBodyDirect<>>(slides_and_turns, inertia, report);
  else if (kind == JointKind::free)
    describe<SE3<>>(slides_and_turns, inertia, report);
  else
    report.metric = true;
}

std::string group_name(JointKind kind, GroupProduct product) {
  if (kind == JointKind::free && product == GroupProduct::semidirect) return "SE(3)";
  return std::string(joint_type(kind).group);
}

InvariantGroup free_group(const Mechanism& mechanism, int index) {
  const Body& body = mechanism.bodies[index];
  const JointKind kind = body.particle ? JointKind::translation : JointKind::free;
  return {index, kind, body.group, Mat3::Identity(),
          geometry::rigid_body_inertia<double>(body.mass, Vec3::Zero(), body.inertia)};
}

/// The curve that a step by exponentials follows from the present velocity of a body.
std::string exponential(const Model& model, int body) {
  const int own = model.link_of_body[body];
  const bool alone = model.parent[own] == world, centred = model.X_MB[own].p.isZero(0);
  if (alone && model.kind[own] == JointKind::translation) return "line";
  if (alone && model.kind[own] == JointKind::free) {
    if (model.group[own] == GroupProduct::semidirect) return "screw";
    if (centred) return "line";
  }
  std::size_t joints = 0;
  std::array<int, 3> links{};  // of the joints nearest to the body
  for (int link = own; link != world; link = model.parent[link]) {
    if (freedom_count(model.kind[link]) == 0) continue;
    if (joints < links.size()) links[joints] = link;
    ++joints;
  }
  if (joints == 0) return "rest";
  if (joints > links.size()) return "exp of " + std::to_string(joints) + " joints";
  std::string text;
  for (std::size_t k = joints; k-- > 0;)
    text += (text.empty() ? "exp of " : ", ") + group_name(model.kind[links[k]], model.group[links[k]]);
  return text;
}

}  // namespace

GroupReport group_report(std::string name, JointKind kind, GroupProduct product) {
  GroupReport report{
      std::move(name), group_name(kind, product), GroupProduct::direct, freedom_count(kind), {}};
  if (kind == JointKind::spherical) report.brackets = brackets<SO3<>>(turns);
  if (kind == JointKind::free && product == GroupProduct::direct)
    report.brackets = brackets<geometry::RigidBodyDirect<>>(slides_and_turns);
  if (kind == JointKind::free && product == GroupProduct::semidirect) {
    report.product = product;
    report.brackets = brackets<SE3<>>(slides_and_turns);
  }
  return report;
}

std::vector<InvariantGroup> invariant_groups(const Model& model) {
  Mechanism bare = model.mechanism();
  bare.forces.clear();
  const Model free(std::move(bare), model.formulation(), model.cut());
  const TreeSystem system(free, 1);
  std::vector<InvariantGroup> groups;
  const EulerPoincare& equations = *system.euler_poincare();
  if (equations.why_not()) {
    for (int body = 0; body < model.size(); ++body) groups.push_back(free_group(model.mechanism(), body));
    return groups;
  }
  std::vector<int> links;
  for (int link = 0; link < model.size(); ++link) {
    const int n = freedom_count(model.kind[link]);
    if (n == 0) continue;
    links.push_back(link);
    groups.push_back({model.body[link], model.kind[link], model.group[link], model.X_MB[link].R.matrix(),
                      Eigen::MatrixXd(n, n)});
  }
  // The metric does not couple the velocities of different links, so that one momentum gives a column for
  // each link.
  Vec p(model.nv());
  for (int i = 0; i < 6; ++i) {
    Vec w = Vec::Zero(model.nv());
    for (const int link : links)
      if (i < freedom_count(model.kind[link])) w[model.v_begin[link] + i] = 1;
    equations.momentum(w, p);
    for (std::size_t k = 0; k < links.size(); ++k)
      if (const auto n = groups[k].inertia.cols(); i < n)
        groups[k].inertia.col(i) = p.segment(model.v_begin[links[k]], n);
  }
  return groups;
}

geometry::Canonical canonical_member(StepConnection connection) {
  if (connection == StepConnection::canonical_minus) return geometry::Canonical::minus;
  if (connection == StepConnection::canonical_zero) return geometry::Canonical::zero;
  return geometry::Canonical::plus;
}

ConnectionReport connection_report(const InvariantGroup& group, StepConnection connection) {
  ConnectionReport report;
  report.body = group.body, report.product = group.product, report.connection = connection;
  report.group = group_name(group.kind, group.product);
  describe(group.kind, group.inertia, report);
  return report;
}

double speed_of_turning(const Body& body, const BodyMotion& motion) {
  return body.particle ? 0 : std::sqrt(body.inertia.trace() / body.mass) * motion.Omega.norm();
}

double greatest_speed(const Model& model, std::span<const BodyMotion> motions) {
  double most = 0;
  for (std::size_t i = 0; i < model.mechanism().bodies.size(); ++i)
    most = std::max({most, motions[i].v.norm(), speed_of_turning(model.mechanism().bodies[i], motions[i])});
  return most;
}

ScrewReport screw_report(const Model& model, int index, const BodyMotion& motion, double greatest) {
  const Body& body = model.mechanism().bodies[index];
  ScrewReport report;
  report.in_use = exponential(model, index);
  report.body = index, report.product = body.group;
  report.centre = motion.x, report.velocity = motion.v;
  if (const double speed = motion.v.norm(); speed > 0 && speed <= of_rounding * greatest)
    report.velocity.setZero();
  Vector<double, 6> n = Vector<double, 6>::Zero();  // (R^T x'; Omega)
  n.head<3>() = motion.R.inverse() * report.velocity;
  if (speed_of_turning(body, motion) > of_rounding * greatest) n.tail<3>() = motion.Omega;
  const geometry::Screw<> screw = geometry::screw_of(n);
  report.turn = screw.turn;
  report.direction = motion.R * screw.direction;
  report.point = motion.x + motion.R * screw.point;
  report.pitch = screw.pitch();
  return report;
}

}  // namespace torsor::mechanics
