#include "invariant_metric.hpp"

#include <cmath>

#include "declared_joint.hpp"
#include "dense.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

/// Mass, mass centre, and inertia about it.
struct Rigid {
  double mass = 0;
  Vec3 c = Vec3::Zero();
  Mat3 J = Mat3::Zero();

  /// Welds the other body to this one; J is then the inertia about the common mass centre.
  void add(const Rigid& other) {
    const double total = mass + other.mass;
    if (total == 0) return;
    const Vec3 apart = other.c - c;
    const Mat3 spread = apart.squaredNorm() * Mat3::Identity() - apart * apart.transpose();
    J += other.J + mass * other.mass / total * spread;
    c += other.mass / total * apart;
    mass = total;
  }
};

/// Inertia for twists at the origin O of the axes: [m I, -m c~; m c~, J - m c~ c~].
Matrix<double, 6> inertia_at_origin(const Rigid& body) {
  Mat3 c;
  c << 0, -body.c.z(), body.c.y(), body.c.z(), 0, -body.c.x(), -body.c.y(), body.c.x(), 0;
  Matrix<double, 6> G;
  G << body.mass * Mat3::Identity(), -body.mass * c, body.mass * c, body.J - body.mass * c * c;
  return G;
}

Rigid in_joint_frame(const Model& model, int link, const SE3<>& X) {
  const Body& body = model.mechanism().bodies[model.body[link]];
  const SE3<> X_B = X * model.X_MB[link];
  const Mat3 R = X_B.R.matrix();
  const Mat3 J = body.particle ? Mat3::Zero() : body.inertia;
  return {body.mass, X_B.p, R * J * R.transpose()};
}

/// Each link that has degrees of freedom, combined with the links fixed to it, in its joint frame M. The
/// other links have the mass 0 in `rigid`.
struct WeldedLinks {
  std::vector<int> carrier;  ///< the link with degrees of freedom that carries this one, or `world`
  std::vector<Rigid> rigid;
};

WeldedLinks weld(const Model& model) {
  const int n = model.size();
  WeldedLinks w{std::vector<int>(n), std::vector<Rigid>(n)};
  std::vector<SE3<>> X(n);  // frame M of each link in frame M of its carrier
  for (int i = 0; i < n; ++i) {
    const int parent = model.parent[i];
    const bool fixed = model.kind[i] == JointKind::fixed;
    w.carrier[i] = !fixed ? i : parent == world ? world : w.carrier[parent];
    if (w.carrier[i] == world) continue;
    if (fixed) X[i] = X[parent] * model.X_PF[i];
    w.rigid[w.carrier[i]].add(in_joint_frame(model, i, X[i]));
  }
  return w;
}

std::string name_of(const Model& model, int link) {
  return "body \"" + model.mechanism().bodies[model.body[link]].name + "\"";
}

std::optional<std::string> why_not_constant(const Model& model, const WeldedLinks& welded, int link) {
  const int parent = model.parent[link];
  if (parent != world && welded.carrier[parent] != world)
    return name_of(model, link) + " is attached to " + name_of(model, parent) + ", which moves";
  const JointType& type = joint_type(model.kind[link]);
  if (model.moves_inversely[link])
    return name_of(model, link) + " is the parent in its " + std::string(type.name) +
           " joint: its inertia depends on the coordinates";
  const Rigid& rigid = welded.rigid[link];
  const double rounding = 1e-13 * std::sqrt(rigid.J.trace() / rigid.mass);
  const auto why = type.why_metric_varies(model.group[link], rigid.c, rounding);
  return why ? std::optional(name_of(model, link) + std::string(*why)) : std::nullopt;
}

}  // namespace

InvariantMetric::InvariantMetric(const Model& model, const Forces& forces)
    : model_(&model), forces_(&forces), rest_(Vec::Zero(model.nv())) {
  const std::string velocity_dependent = forces.why_velocity_dependent();
  if (!velocity_dependent.empty()) {
    why_not_ = velocity_dependent;
    return;
  }
  const WeldedLinks welded = weld(model);
  const Vec q = identity_configuration(model);
  for (int i = 0; i < model.size(); ++i) {
    const int n = freedom_count(model.kind[i]);
    if (n == 0) continue;
    why_not_ = why_not_constant(model, welded, i);
    if (why_not_) return;
    Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, 6> S(6, n);
    const Matrix<double, 6> unit = Matrix<double, 6>::Identity();
    for (int k = 0; k < n; ++k)
      S.col(k) = inboard_twist(model, i, q.data() + model.q_begin[i], unit.col(k).data());
    const Square G = S.transpose() * inertia_at_origin(welded.rigid[i]) * S;
    blocks_.push_back({model.v_begin[i], G, linear::inverse_of_definite(G)});
  }
}

void InvariantMetric::momentum(VecIn v, VecOut p) const {
  for (const Block& block : blocks_) {
    const auto n = block.G.rows();
    p.segment(block.begin, n).noalias() = block.G.lazyProduct(v.segment(block.begin, n));
  }
}

void InvariantMetric::momentum_inverse(VecIn p, VecOut v) const {
  for (const Block& block : blocks_) {
    const auto n = block.G.rows();
    v.segment(block.begin, n).noalias() = block.G_inverse.lazyProduct(p.segment(block.begin, n));
  }
}

/// Inverse dynamics of the tree at rest gives -f without the joint forces.
void InvariantMetric::position_force(double t, VecIn q, Workspace<double>& work, Loads<double>& loads,
                                     VecOut f) const {
  forces_->evaluate(t, q, rest_, work, loads);
  if (!forces_->needs_kinematics()) local_kinematics(*model_, q, rest_, work);
  inverse_dynamics(*model_, rest_, rest_, loads, work, f);
  f = -f;
  if (loads.has_tau) f += loads.tau;
}

}  // namespace torsor
