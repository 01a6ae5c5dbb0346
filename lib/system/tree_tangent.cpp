#include "tree_tangent.hpp"

#include "mechanism_parts.hpp"
#include "model/body_space.hpp"
#include "model/declared_joint.hpp"
#include "model/forces/feedback.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor::mechanics {

namespace {

/// Step of central differences, rad or m, and for velocities relative. The relative error of the differences
/// is of the order of its square.
constexpr double probe = 1e-5;
constexpr double tiny = 1e-300;

/// Relative residual at which GMRES stops. A step of Newton's iteration then reduces the residual of the
/// equations at best to this fraction.
constexpr double enough = 1e-7;

double size_of(const Vec& v) { return v.size() ? v.lpNorm<Eigen::Infinity>() : 0; }

}  // namespace

TreeTangent::TreeTangent(const MechanismSystem& tree, Treatment treatment,
                         const TreatmentParameters& parameters)
    : tree_(tree),
      model_(tree.model().mechanism(), Formulation::absolute),
      bodies_(model_, 1, treatment, parameters),
      bodies_tangent_(bodies_),
      tree_work_(tree.model()),
      work_(model_) {
  for (const int body : model_.body) tree_link_.push_back(tree.model().link_of_body[body]);
  for (const Constraints::Item& item : tree.constraints().items())
    for (int row = item.row_begin; row < item.row_begin + item.rows && !item.tree; ++row) row_.push_back(row);
  const int n = tree.nv(), m = tree.rows(), n_bodies = bodies_.nv(), m_bodies = bodies_.rows();
  for (Vec* v : {&r_tree_, &r_, &da_, &w_, &v_, &r_there_}) v->setZero(n);
  for (Vec* v : {&s_, &dl_, &psi_, &rate_}) v->setZero(m);
  for (Vec* v : {&b_, &z_}) v->setZero(6 * model_.size() + m);
  for (Vec* v : {&x_.v, &a_, &xi_, &r_bodies_, &da_bodies_}) v->setZero(n_bodies);
  for (Vec* v : {&lambda_, &s_bodies_, &dl_bodies_}) v->setZero(m_bodies);
  for (Vec* v : {&V_tree_, &V_}) v->setZero(6 * model_.size());
  q_.setZero(tree.nq());
  x_.q.setZero(bodies_.nq());
}

/// Copies six numbers per link, from the link order of one form to that of the other.
void TreeTangent::reorder(const Vec& from, Vec& to, bool from_tree) const {
  for (std::size_t link = 0; link < tree_link_.size(); ++link) {
    const auto in_tree = 6 * static_cast<Eigen::Index>(tree_link_[link]),
               absolute = 6 * static_cast<Eigen::Index>(link);
    to.segment<6>(from_tree ? absolute : in_tree) = from.segment<6>(from_tree ? in_tree : absolute);
  }
}

/// Converts the state of the tree, its accelerations and xi to absolute form. Finds the multipliers of all
/// joints with which the imbalance of the bodies is that of the tree.
void TreeTangent::place_bodies() {
  const auto to_bodies = [&](VecOut out) {
    reorder(V_tree_, V_, true);
    joints_from_bodies(model_, work_, V_, out);
  };
  forward_kinematics(tree_.model(), x_tree_.q, x_tree_.v, tree_work_);
  for (int link = 0; link < model_.size(); ++link) {
    const int at = tree_link_[static_cast<std::size_t>(link)];
    const SE3<> X_WB(SO3<>::from_matrix(tree_work_.R_WB[at]), tree_work_.p_WB[at]);
    joint_coordinates(model_.kind[link], 0, X_WB, x_.q.data() + model_.q_begin[link]);
  }
  forward_kinematics(model_, x_.q, x_.v, work_);
  bodies_from_joints(tree_.model(), tree_work_, x_tree_.v, V_tree_);
  to_bodies(x_.v);
  bodies_from_joints(tree_.model(), tree_work_, xi_tree_, V_tree_);
  to_bodies(xi_);

  forward_kinematics(model_, x_.q, x_.v, work_);
  a_.setZero();
  body_accelerations(model_, x_.v, a_, work_);
  body_accelerations(tree_.model(), x_tree_.v, a_tree_, tree_work_);
  for (int link = 0; link < model_.size(); ++link) {
    const int at = tree_link_[static_cast<std::size_t>(link)];
    V_tree_.segment<3>(6 * at) = tree_work_.vdot_WB[at] - work_.vdot_WB[link];
    V_tree_.segment<3>(6 * at + 3) = tree_work_.wdot_WB[at] - work_.wdot_WB[link];
  }
  to_bodies(a_);

  lambda_.setZero(), s_bodies_.setZero();
  bodies_.imbalance(t_, x_.q, x_.v, a_, lambda_, r_bodies_);
  to_body_forces(r_tree_, da_bodies_);
  r_bodies_ -= da_bodies_;
  bodies_.solve(t_, x_.q, r_bodies_, s_bodies_, da_bodies_, lambda_);
  lambda_ = -lambda_;
}

/// Converts joint forces r of the tree to forces in absolute form that do the same work.
void TreeTangent::to_body_forces(const Vec& r, Vec& out) {
  V_tree_.setZero();
  add_wrenches_of(tree_.model(), tree_work_, r, V_tree_);
  reorder(V_tree_, V_, true);
  joint_forces(model_, work_, V_, out);
}

void TreeTangent::factor(const Linearisation& at) {
  t_ = at.t, c_v_ = at.c_v, c_q_ = at.c_q, level_ = at.level;
  x_tree_.q = at.x.q, x_tree_.v = at.x.v;
  a_tree_ = at.a, lambda_tree_ = at.lambda, xi_tree_ = at.xi;
  a_size_ = 1 + size_of(at.a), lambda_size_ = 1 + size_of(at.lambda);
  bodies_.parts().rows.leave_out(tree_.parts().rows.left_out());
  bodies_.tree().forces().feedback().take(tree_.tree().forces().feedback());
  tree_.imbalance(t_, x_tree_.q, x_tree_.v, a_tree_, lambda_tree_, r_tree_);
  place_bodies();
  bodies_tangent_.factor({t_, x_, a_, lambda_, xi_, c_v_, c_q_, Level::position});
}

/// out = P^-1 J z. z has the accelerations of the bodies and the multipliers, each divided by its size.
/// If z had joint accelerations instead, their rounding errors would add up along a long chain and exceed the
/// difference of P and J far out on the chain.
void TreeTangent::times(const Vec& z, Vec& out) {
  const auto m = s_.size();
  joints_from_bodies(tree_.model(), tree_work_, z.head(V_tree_.size()), da_);
  da_ *= a_size_, dl_ = lambda_size_ * z.tail(m);
  tree_.metric_times(t_, x_tree_.q, da_, r_);
  tree_.reaction(t_, x_tree_.q, dl_, r_there_);
  r_ -= r_there_;
  tree_.constraint_times(t_, x_tree_.q, da_, s_);
  const double dv = probe * (1 + size_of(x_tree_.v)) / std::max(size_of(da_), tiny);
  for (const double step : {dv, -dv}) {
    v_ = x_tree_.v + step * da_;
    tree_.imbalance(t_, x_tree_.q, v_, a_tree_, lambda_tree_, r_there_);
    r_ += c_v_ / (2 * step) * r_there_;
  }

  tree_.dexp(xi_tree_, da_, w_);
  const double dq = probe / std::max(size_of(w_), tiny);
  rate_.setZero();
  for (const double step : {dq, -dq}) {
    v_ = step * w_;
    tree_.retract(x_tree_.q, v_, q_);
    tree_.imbalance(t_, q_, x_tree_.v, a_tree_, lambda_tree_, r_there_);
    r_ += c_q_ / (2 * step) * r_there_;
    tree_.velocity_residual(t_, q_, x_tree_.v, psi_);
    rate_ += psi_ / (2 * step);
  }
  s_ += c_q_ / c_v_ * rate_;
  if (level_ == Level::position) {
    tree_.constraint_times(t_, x_tree_.q, w_, psi_);
    for (Eigen::Index j = 0; j < m; ++j)
      if (tree_.holonomic()[static_cast<std::size_t>(j)]) s_[j] = psi_[j];
  }
  divide(r_, s_, out);
}

/// z = P^-1 (r; s). The motions of the bodies satisfy the rows of tree joints at position level, so motions
/// of the joints exist that match them.
void TreeTangent::divide(const Vec& r, const Vec& s, Vec& z) {
  to_body_forces(r, r_bodies_);
  s_bodies_.setZero();
  for (std::size_t i = 0; i < row_.size(); ++i) s_bodies_[row_[i]] = c_q_ * s[static_cast<Eigen::Index>(i)];
  bodies_tangent_.solve(r_bodies_, s_bodies_, da_bodies_, dl_bodies_);
  bodies_.dexp(xi_, da_bodies_, da_bodies_);
  bodies_from_joints(model_, work_, da_bodies_, V_);
  reorder(V_, V_tree_, false);
  joints_from_bodies(tree_.model(), tree_work_, V_tree_, w_);
  tree_.dexp_inv(xi_tree_, w_, da_);
  da_ /= a_size_;
  const auto n = V_tree_.size();
  z.resize(n + s.size());
  bodies_from_joints(tree_.model(), tree_work_, da_, z.head(n));
  for (std::size_t i = 0; i < row_.size(); ++i)
    z[n + static_cast<Eigen::Index>(i)] = dl_bodies_[row_[i]] / lambda_size_;
}

void TreeTangent::solve(VecIn r, VecIn s, VecOut da, VecOut dl) {
  r_ = r, s_ = s / (level_ == Level::position ? c_q_ : c_v_);
  divide(r_, s_, b_);
  gmres_.solve([&](const Vec& z, Vec& out) { times(z, out); }, b_, enough, z_);
  joints_from_bodies(tree_.model(), tree_work_, z_.head(V_tree_.size()), da);
  da *= a_size_;
  dl = lambda_size_ * z_.tail(s.size());
}

std::unique_ptr<Tangent> make_tangent(const MechanismSystem& system, Treatment treatment,
                                      const TreatmentParameters& parameters) {
  if (system.model().formulation() == Formulation::tree)
    return std::make_unique<TreeTangent>(system, treatment, parameters);
  return std::make_unique<AbsoluteTangent>(system);
}

}  // namespace torsor::mechanics
