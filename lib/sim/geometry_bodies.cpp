#include <array>
#include <cmath>

#include "geometry_parts.hpp"
#include "torsor/geometry/canonical.hpp"
#include "torsor/geometry/christoffel.hpp"
#include "torsor/geometry/compatibility.hpp"
#include "torsor/geometry/rigid_body.hpp"
#include "torsor/geometry/screw.hpp"
#include "torsor/sim/tree_system.hpp"

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

/// Components below rounding of what they are made of are none.
constexpr double rounding = 1e-13;

template <LieGroup G, class Affinities>
void describe(const Connection<LeftInvariantFrame<G>, Affinities>& connection, const Names& axes,
              const Matrix<double, G::dof>& inertia, ConnectionReport& report) {
  constexpr int n = G::dof;
  const auto at = G::identity();
  const Constant<Matrix<double, n>> metric{inertia};
  const auto L = connection.affinities(at);
  const auto t = torsion(connection, at);
  const auto R = curvature(L, connection.frame.structure_coefficients(at));
  const auto D = non_metricity(connection, metric, at);
  const auto maps = [&](int k, int i, int j) { return axes[i] + ", " + axes[j] + " -> " + axes[k]; };
  const auto lowers = [&](int k, int i, int j) { return axes[k] + ": " + axes[i] + ", " + axes[j]; };
  const auto rotates = [&](int i, int j, int k, int l) {
    return axes[k] + ", " + axes[l] + ": " + axes[j] + " -> " + axes[i];
  };
  const double L_scale = std::max(1., L.flat().abs().maxCoeff()), g_scale = inertia.cwiseAbs().maxCoeff();
  const auto see_all = [](NamedComponent& most, double value, double scale, const auto& name_of,
                          auto... at_) {
    if (std::abs(value) > rounding * scale) see(most, value, name_of, at_...);
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        see_all(report.torsion, t(k, i, j), L_scale, maps, k, i, j);
        see_all(report.non_metricity, D(k, i, j), L_scale * g_scale, lowers, k, i, j);
        for (int l = 0; l < n; ++l)
          see_all(report.curvature, R(i, j, k, l), L_scale * L_scale, rotates, i, j, k, l);
      }
    }
  }
  report.metric = report.non_metricity.name.empty();
  const auto strong = christoffel(connection.frame, metric).affinities(at);
  const auto conditions = compatibility(L, strong, inertia);
  report.weak = conditions.weak, report.strong = conditions.strong;
}

template <LieGroup G>
void describe(const Names& axes, const Matrix<double, G::dof>& inertia, ConnectionReport& report) {
  const auto canonical = canonical_connection<G>(Canonical::plus);
  const Constant<Matrix<double, G::dof>> metric{inertia};
  if (report.christoffel)
    describe<G>(christoffel(canonical.frame, metric), axes, inertia, report);
  else
    describe<G>(canonical, axes, inertia, report);
}

/// Of a group with an invariant metric. Where turns and slides commute every connection here vanishes.
void describe(JointKind kind, const Eigen::MatrixXd& inertia, ConnectionReport& report) {
  if (kind == JointKind::spherical)
    describe<SO3<>>(turns, inertia, report);
  else if (kind == JointKind::free && report.product == GroupProduct::direct)
    describe<RigidBodyDirect<>>(both, inertia, report);
  else if (kind == JointKind::free)
    describe<SE3<>>(both, inertia, report);
  else
    report.metric = true;
}

ConnectionReport of_body(const Mechanism& mechanism, int index) {
  const Body& body = mechanism.bodies[index];
  ConnectionReport report;
  report.body = index, report.product = body.group;
  report.group = body.particle ? "R^3" : body.group == GroupProduct::direct ? "R^3 x SO(3)" : "SE(3)";
  const Matrix<double, 6> inertia = rigid_body_inertia<double>(body.mass, Vec3::Zero(), body.inertia);
  describe(body.particle ? JointKind::translation : JointKind::free, inertia, report);
  return report;
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

std::vector<ConnectionReport> connection_reports(const Model& model, bool christoffel) {
  Mechanism bare = model.mechanism();
  bare.forces.clear();
  const Model free(std::move(bare), model.formulation(), model.cut());
  const TreeSystem system(free, 1);
  std::vector<ConnectionReport> reports;
  if (system.why_not_invariant_metric()) {
    for (int body = 0; body < model.size(); ++body) reports.push_back(of_body(model.mechanism(), body));
    return reports;
  }
  Vec p(model.nv());
  for (int link = 0; link < model.size(); ++link) {
    const int n = freedom_count(model.kind[link]), begin = model.v_begin[link];
    if (n == 0) continue;
    Eigen::MatrixXd inertia(n, n);
    for (int i = 0; i < n; ++i) {
      system.momentum(Vec::Unit(model.nv(), begin + i), p);
      inertia.col(i) = p.segment(begin, n);
    }
    ConnectionReport report;
    report.body = model.body[link], report.product = model.group[link], report.christoffel = christoffel;
    report.group = group_report({}, model.kind[link], model.group[link]).group;
    describe(model.kind[link], inertia, report);
    reports.push_back(report);
  }
  return reports;
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
