#include <array>
#include <cmath>

#include "geometry_parts.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/compatibility.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/geometry/screw.hpp"

// The groups of a mechanism, and what belongs to one body alone.

namespace torsor::sim {
namespace {

using Names = std::vector<std::string>;

const Names turns = {"turn x", "turn y", "turn z"};
const Names slides = {"slide x", "slide y", "slide z"};
const Names both = {"slide x", "slide y", "slide z", "turn x", "turn y", "turn z"};

template <LieGroup G>
std::vector<NamedComponent> brackets(const Names& axes) {
  const auto c = LeftInvariantFrame<G>::structure_coefficients(G::identity());
  std::vector<NamedComponent> all;
  for (int i = 0; i < c.size(); ++i)
    for (int j = i + 1; j < c.size(); ++j)
      for (int k = 0; k < c.size(); ++k)
        if (c(k, i, j) != 0) all.push_back({axes[i] + ", " + axes[j] + " -> " + axes[k], c(k, i, j)});
  return all;
}

/// The greatest component, the first of several.
template <class Name, class... Indices>
void see(NamedComponent& most, double value, const Name& name_of, Indices... indices) {
  if (std::abs(value) > std::abs(most.value)) most = {name_of(indices...), value};
}

/// |D| below rounding of the metric it is made of is none.
constexpr double rounding = 1e-14;

template <LieGroup G>
void describe(const Names& axes, const Matrix<double, G::dof>& inertia, ConnectionReport& report) {
  constexpr int n = G::dof;
  const auto connection = canonical_connection<G>(Canonical::plus);
  const auto at = G::identity();
  const Constant<Matrix<double, n>> metric{inertia};
  const auto t = torsion(connection, at);
  const auto R = curvature(connection, at);
  const auto D = non_metricity(connection, metric, at);
  const auto maps = [&](int k, int i, int j) { return axes[i] + ", " + axes[j] + " -> " + axes[k]; };
  const auto lowers = [&](int k, int i, int j) { return axes[k] + ": " + axes[i] + ", " + axes[j]; };
  const auto rotates = [&](int i, int j, int k, int l) {
    return axes[k] + ", " + axes[l] + ": " + axes[j] + " -> " + axes[i];
  };
  const double scale = inertia.cwiseAbs().maxCoeff();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        see(report.torsion, t(k, i, j), maps, k, i, j);
        if (std::abs(D(k, i, j)) > rounding * scale) see(report.non_metricity, D(k, i, j), lowers, k, i, j);
        for (int l = 0; l < n; ++l) see(report.curvature, R(i, j, k, l), rotates, i, j, k, l);
      }
    }
  }
  report.metric = report.non_metricity.name.empty();
  const auto strong = christoffel(connection.frame, metric).affinities(at);
  const auto conditions = compatibility(connection.affinities(at), strong, inertia);
  report.weak = conditions.weak, report.strong = conditions.strong;
}

}  // namespace

GroupReport group_report(std::string name, JointKind kind, GroupProduct product) {
  GroupReport report{std::move(name), "", GroupProduct::direct, freedom_count(kind), {}};
  constexpr std::array names{"1",           "SO(2)", "R",           "R",  "R x SO(2)", "SO(2) x SO(2)",
                             "R^2 x SO(2)", "SO(3)", "R^3 x SO(3)", "R^3"};
  report.group = names[static_cast<std::size_t>(kind)];
  if (kind == JointKind::spherical) report.brackets = brackets<SO3<>>(turns);
  if (kind == JointKind::free && product == GroupProduct::direct)
    report.brackets = brackets<RigidBodyDirect<>>(both);
  if (kind == JointKind::free && product == GroupProduct::semidirect) {
    report.group = "SE(3)", report.product = product;
    report.brackets = brackets<SE3<>>(both);
  }
  return report;
}

ConnectionReport connection_report(const Mechanism& mechanism, int index) {
  const Body& body = mechanism.bodies[index];
  ConnectionReport report;
  report.body = index;
  const Matrix<double, 6> inertia = rigid_body_inertia<double>(body.mass, Vec3::Zero(), body.inertia);
  if (body.particle) {
    report.group = "R^3";
    describe<Rn<3>>(slides, body.mass * Mat3::Identity(), report);
  } else if (body.group == GroupProduct::direct) {
    report.group = "R^3 x SO(3)";
    describe<RigidBodyDirect<>>(both, inertia, report);
  } else {
    report.group = "SE(3)";
    describe<SE3<>>(both, inertia, report);
  }
  return report;
}

ScrewReport screw_report(const Mechanism& mechanism, int index, const BodyMotion& motion) {
  const Body& body = mechanism.bodies[index];
  ScrewReport report;
  report.body = index, report.product = body.group;
  report.centre = motion.x, report.velocity = motion.v;
  Vector<double, 6> n = Vector<double, 6>::Zero();  // (R^T x'; Omega)
  n.head<3>() = motion.R.inverse() * motion.v;
  if (!body.particle) n.tail<3>() = motion.Omega;
  const Screw<> screw = screw_of(n);
  report.turn = screw.turn;
  report.direction = motion.R * screw.direction;
  report.point = motion.x + motion.R * screw.point;
  report.pitch = screw.pitch();
  return report;
}

}  // namespace torsor::sim
