#include "torsor/sim/mechanism_system.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "text.hpp"
#include "torsor/model/body_space.hpp"
#include "torsor/model/kinematics.hpp"
#include "torsor/model/kkt.hpp"

namespace torsor {
namespace {

/// Beyond this the constraints have lost rank: two digits of the multipliers are left.
constexpr double singular_growth = 1e13;

/// Whether a constraint resists a common motion of the bodies that it joins.
bool grounded(const Constraint& constraint) {
  return std::holds_alternative<VelocityLaw>(constraint.law) ||
         std::holds_alternative<UserConstraint>(constraint.law);
}

KktGraph graph_of(const Model& model, const Constraints& constraints) {
  KktGraph graph;
  graph.parent = model.span_parent;
  for (const Constraints::Item& item : constraints.items()) {
    KktGraph::Constraint node{item.rows, item.links, false, false};
    if (item.constraint >= 0) node.grounded = grounded(model.mechanism().constraints[item.constraint]);
    node.tree = item.joint >= 0 && model.span_link_of_joint[item.joint] >= 0;
    graph.constraints.push_back(std::move(node));
  }
  return graph;
}

}  // namespace

struct MechanismSystem::Scratch {
  Scratch(const Model& model, double length)
      : work(model), loads(model), constraints(model), kkt(graph_of(model, constraints)) {
    for (const Constraints::Item& item : constraints.items())
      for (int row = item.row_begin; row < item.row_begin + item.rows; ++row) {
        if (item.tree) continue;
        own_rows.push_back(row);
        holonomic.push_back(constraints.rows()[row].holonomic);
      }
    std::vector<double> scale;
    for (const Constraints::Row& row : constraints.rows())
      scale.push_back(row.kind == Constraints::Row::Kind::torque ? 1 / length : 1);
    kkt.set_row_scale(scale);
    for (Vec* six : {&W, &V, &bias}) six->setZero(6 * model.size());
    for (Vec* row : {&s, &y}) row->setZero(constraints.size());
    G.assign(36 * static_cast<std::size_t>(model.size()), 0);
    zero.setZero(model.nv()), a.setZero(model.nv()), tau.setZero(model.nv());
    lambda.setZero(static_cast<Eigen::Index>(own_rows.size()));
  }

  Workspace<double> work;
  Loads<double> loads;
  Constraints constraints;
  ConstraintValues values;
  KktSolver kkt;
  std::vector<int> own_rows;    ///< of the m rows: their places among all
  std::vector<char> holonomic;  ///< over the m rows
  std::vector<double> G;
  Vec W, V, bias, s, y, zero, a, tau, lambda, xi, q_next;

  // What `work` and `values` belong to.
  double t = std::numeric_limits<double>::quiet_NaN();
  Vec q, v;
  bool factored = false;
};

MechanismSystem::MechanismSystem(const Model& model, double length)
    : tree_(model, length), scratch_(std::make_unique<Scratch>(model, length)) {}

MechanismSystem::~MechanismSystem() = default;

int MechanismSystem::rows() const { return static_cast<int>(scratch_->own_rows.size()); }
const std::vector<char>& MechanismSystem::holonomic() const { return scratch_->holonomic; }
const Constraints& MechanismSystem::constraints() const { return scratch_->constraints; }

bool MechanismSystem::conserves_energy() const {
  const auto& rows = constraints().rows();
  return forces().conserve_energy() &&
         std::none_of(rows.begin(), rows.end(), [](const Constraints::Row& row) { return row.rheonomic; });
}

/// Kinematics and rows at (t, q, v); what is there already is not computed again.
void MechanismSystem::look_at(double t, VecIn q, VecIn v) const {
  Scratch& s = *scratch_;
  const bool same_place = s.t == t && s.q.size() == q.size() && s.q == q;
  if (same_place && s.v == v) return;
  s.factored = s.factored && same_place;
  s.t = std::numeric_limits<double>::quiet_NaN();
  forward_kinematics(model(), q, v, s.work);
  s.constraints.evaluate(t, q, v, s.work, s.values);
  s.t = t, s.q = q, s.v = v;
}

/// The same where velocities do not matter.
void MechanismSystem::look_at(double t, VecIn q) const {
  const Scratch& s = *scratch_;
  if (!(s.t == t && s.q.size() == q.size() && s.q == q)) look_at(t, q, s.zero);
}

void MechanismSystem::factor() const {
  Scratch& s = *scratch_;
  if (s.factored) return;
  const Mechanism& mechanism = model().mechanism();
  for (int i = 0; i < model().size(); ++i) {
    const Body& body = mechanism.bodies[model().body[i]];
    double* const block = s.G.data() + 36 * i;
    for (int k = 0; k < 3; ++k) block[7 * k] = body.mass;
    const Mat3& R = s.work.R_WB[i];
    const Mat3 J = body.particle ? Mat3::Identity() : Mat3(R * body.inertia * R.transpose());
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column) block[6 * (row + 3) + column + 3] = J(row, column);
  }
  s.kkt.factor(s.G.data(), s.values.blocks.data());
  if (!(s.kkt.pivot_growth() < singular_growth)) blame_singular(s.t);
  s.factored = true;
}

/// V and y for W and s.
void MechanismSystem::solve_bodies(bool least_norm) const {
  Scratch& s = *scratch_;
  factor();
  s.kkt.solve(s.W.data(), s.s.data(), s.V.data(), s.y.data(),
              least_norm ? KktSolver::Multipliers::least_norm : KktSolver::Multipliers::any);
  if (s.kkt.contradictory().empty()) return;
  std::string names;
  for (const Constraints::Item& item : s.constraints.items())
    for (const int row : s.kkt.contradictory())
      if (row >= item.row_begin && row < item.row_begin + item.rows)
        names += (names.empty() ? "" : ", ") + std::string("\"").append(item.name).append("\" (row ") +
                 std::to_string(row - item.row_begin + 1) + ")";
  throw EvaluationError(StepStatus::singular,
                        "constraints contradict the others at t = " + sim::text(s.t) + ": " + names);
}

void MechanismSystem::blame_singular(double t) const {
  const Scratch& s = *scratch_;
  for (const Constraints::Item& item : s.constraints.items()) {
    const int row = s.kkt.pivot_growth_row() - item.row_begin;
    if (row < 0 || row >= item.rows) continue;
    throw EvaluationError(StepStatus::singular, "the constraints lose rank at t = " + sim::text(t) +
                                                    " in \"" + item.name + "\": condition " +
                                                    sim::brief(s.kkt.pivot_growth()));
  }
}

/// The loads at (t, q, v) with the gyroscopic terms: W.
void MechanismSystem::load_bodies(double t, VecIn q, VecIn v) const {
  Scratch& s = *scratch_;
  forces().evaluate(t, q, v, s.work, s.loads);
  for (int i = 0; i < model().size(); ++i) {
    const Body& body = model().mechanism().bodies[model().body[i]];
    Vec3 force = body.mass * s.loads.gravity, torque = Vec3::Zero();
    if (!body.particle) {
      const Mat3& R = s.work.R_WB[i];
      const Vec3 Omega = R.transpose() * s.work.w_WB[i];
      torque = R * (body.inertia * Omega).cross(Omega);
    }
    if (s.loads.has_wrenches) force += s.loads.force[i], torque += s.loads.torque[i];
    s.W.segment<3>(6 * i) = force;
    s.W.segment<3>(6 * i + 3) = torque;
  }
  if (s.loads.has_tau) add_wrenches_of(model(), s.work, s.loads.tau, s.W);
}

/// out -> G_B V, over the bodies.
void MechanismSystem::times_body_metric(const Vec& V, Vec& out) const {
  const Scratch& s = *scratch_;
  for (int i = 0; i < model().size(); ++i) {
    const Body& body = model().mechanism().bodies[model().body[i]];
    const Mat3& R = s.work.R_WB[i];
    out.segment<3>(6 * i) = body.mass * V.segment<3>(6 * i);
    out.segment<3>(6 * i + 3).setZero();
    if (!body.particle)
      out.segment<3>(6 * i + 3) = R * (body.inertia * (R.transpose() * V.segment<3>(6 * i + 3)));
  }
}

/// Accelerations of the bodies that velocities alone cause, J' v: `bias`.
void MechanismSystem::find_bias(VecIn v) const {
  Scratch& s = *scratch_;
  body_accelerations(model(), v, s.zero, s.work);
  for (int i = 0; i < model().size(); ++i) {
    s.bias.segment<3>(6 * i) = s.work.vdot_WB[i];
    s.bias.segment<3>(6 * i + 3) = s.work.wdot_WB[i];
  }
}

void MechanismSystem::force(double t, VecIn q, VecIn v, VecOut f) const {
  Scratch& s = *scratch_;
  look_at(t, q, v);
  load_bodies(t, q, v);
  find_bias(v);
  times_body_metric(s.bias, s.V);
  s.W -= s.V;
  joint_forces(model(), s.work, s.W, f);
}

void MechanismSystem::metric_times(VecIn q, VecIn w, VecOut out) const {
  Scratch& s = *scratch_;
  look_at(std::isnan(s.t) ? 0 : s.t, q);  // any time: the metric does not depend on it
  bodies_from_joints(model(), s.work, w, s.V);
  times_body_metric(s.V, s.W);
  joint_forces(model(), s.work, s.W, out);
}

/// out -> the rows of a stepper among A_B V.
void MechanismSystem::own_rows_times(const Vec& V, VecOut out) const {
  const Scratch& s = *scratch_;
  int at = 0;
  for (const Constraints::Item& item : s.constraints.items()) {
    if (item.tree) continue;
    for (int row = 0; row < item.rows; ++row) {
      double sum = 0;
      for (std::size_t k = 0; k < item.links.size(); ++k) {
        const double* const J =
            s.values.blocks.data() + s.constraints.block_offset()[item.block_begin + k] + 6 * row;
        sum += Eigen::Map<const Vector<double, 6>>(J).dot(V.segment<6>(6 * item.links[k]));
      }
      out[at++] = sum;
    }
  }
}

void MechanismSystem::constraint_times(double t, VecIn q, VecIn w, VecOut out) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  bodies_from_joints(model(), s.work, w, s.V);
  own_rows_times(s.V, out);
}

void MechanismSystem::reaction(double t, VecIn q, VecIn lambda, VecOut out) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  s.W.setZero();
  int at = 0;
  for (const Constraints::Item& item : s.constraints.items()) {
    if (item.tree) continue;
    for (std::size_t k = 0; k < item.links.size(); ++k)
      s.W.segment<6>(6 * item.links[k]) += wrench_on(item, static_cast<int>(k), lambda.data() + at);
    at += item.rows;
  }
  joint_forces(model(), s.work, s.W, out);
}

/// J_k^T lambda of one block.
Vector<double, 6> MechanismSystem::wrench_on(const Constraints::Item& item, int k,
                                             const double* lambda) const {
  const Scratch& s = *scratch_;
  const double* J = s.values.blocks.data() + s.constraints.block_offset()[item.block_begin + k];
  Vector<double, 6> wrench = Vector<double, 6>::Zero();
  for (int row = 0; row < item.rows; ++row, J += 6)
    wrench += lambda[row] * Eigen::Map<const Vector<double, 6>>(J);
  return wrench;
}

void MechanismSystem::position_residual(double t, VecIn q, VecOut phi) const {
  const Scratch& s = *scratch_;
  look_at(t, q);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i) phi[i] = s.values.phi[s.own_rows[i]];
}

void MechanismSystem::velocity_residual(double t, VecIn q, VecIn v, VecOut psi) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  bodies_from_joints(model(), s.work, v, s.V);
  own_rows_times(s.V, psi);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i) psi[i] += s.values.a0[s.own_rows[i]];
}

/// gamma of the rows in the velocities of the tree: A_B (J' v) + gamma of the rows in those of the bodies.
void MechanismSystem::constraint_bias(double t, VecIn q, VecIn v, VecOut gamma) const {
  Scratch& s = *scratch_;
  look_at(t, q, v);
  find_bias(v);
  own_rows_times(s.bias, gamma);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i) gamma[i] += s.values.gamma[s.own_rows[i]];
}

void MechanismSystem::accelerate(double t, VecIn q, VecIn v, VecOut a, bool least_norm) const {
  Scratch& s = *scratch_;
  look_at(t, q, v);
  load_bodies(t, q, v);
  for (int row = 0; row < s.constraints.size(); ++row) s.s[row] = -s.values.gamma[row];
  solve_bodies(least_norm);
  find_bias(v);
  s.V -= s.bias;
  joints_from_bodies(model(), s.work, s.V, a);
}

void MechanismSystem::acceleration(double t, VecIn q, VecIn v, VecOut a) const {
  accelerate(t, q, v, a, false);
}

void MechanismSystem::acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const {
  accelerate(t, q, v, a, true);
  const Scratch& s = *scratch_;
  for (std::size_t i = 0; i < s.own_rows.size(); ++i) lambda[i] = s.y[s.own_rows[i]];
}

/// A_B V = s over the rows of a stepper; the inboard joints stand still.
void MechanismSystem::set_rows(VecIn rows) const {
  Scratch& s = *scratch_;
  s.s.setZero();
  for (std::size_t i = 0; i < s.own_rows.size(); ++i) s.s[s.own_rows[i]] = rows[i];
}

void MechanismSystem::solve(double t, VecIn q, VecIn r, VecIn rows, VecOut x, VecOut y) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  s.W.setZero();
  add_wrenches_of(model(), s.work, r, s.W);
  set_rows(rows);
  solve_bodies(true);
  joints_from_bodies(model(), s.work, s.V, x);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i) y[i] = s.y[s.own_rows[i]];
}

/// The smallest change, in the metric, by which the rows change by `rows`: `xi`, in the velocities of the
/// tree.
void MechanismSystem::correct(VecIn rows) const {
  Scratch& s = *scratch_;
  s.W.setZero();
  set_rows(rows);
  solve_bodies(false);
  s.xi.resize(nv());
  joints_from_bodies(model(), s.work, s.V, s.xi);
}

bool MechanismSystem::project_position(double t, VecOut q) const {
  constexpr int max_iterations = 20;
  Scratch& s = *scratch_;
  s.q_next.resize(nq());
  bool moved = false;
  double last = 1;
  for (int i = 0; i < max_iterations; ++i) {
    position_residual(t, q, s.lambda);
    s.lambda = -s.lambda;
    correct(s.lambda);
    const double change = s.xi.lpNorm<Eigen::Infinity>();
    if (change <= 32 * std::numeric_limits<double>::epsilon()) return moved;
    if (!(change <= 2 * last)) break;
    retract(q, s.xi, s.q_next);
    q = s.q_next;
    moved = true;
    // Newton's method squares the error, so that the next change is rounding.
    if (change < 1e-8 || (change < 1e-6 && change * change < 1e-16 * last)) return moved;
    last = change;
  }
  position_residual(t, q, s.lambda);
  throw EvaluationError(StepStatus::constraint_lost, "the constraints are missed by " +
                                                         sim::brief(s.lambda.lpNorm<Eigen::Infinity>()) +
                                                         " and cannot be met from here");
}

void MechanismSystem::project_velocity(double t, VecIn q, VecOut v) const {
  Scratch& s = *scratch_;
  velocity_residual(t, q, v, s.lambda);
  s.lambda = -s.lambda;
  correct(s.lambda);
  v += s.xi;
}

/// What moves the constraints supplies -lambda a0.
void MechanismSystem::acceleration_and_power(double t, VecIn q, VecIn v, VecOut a, double& power) const {
  accelerate(t, q, v, a, false);
  const Scratch& s = *scratch_;
  power = forces().power(t, q, v, s.work);
  for (int row = 0; row < s.constraints.size(); ++row) power -= s.y[row] * s.values.a0[row];
}

double MechanismSystem::load_power(double t, VecIn q, VecIn v) const {
  look_at(t, q, v);
  return forces().power(t, q, v, scratch_->work);
}

void MechanismSystem::row_offsets(double t, VecIn q, VecOut a0) const {
  const Scratch& s = *scratch_;
  look_at(t, q);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i) a0[i] = s.values.a0[s.own_rows[i]];
}

std::vector<MechanismSystem::Reaction> MechanismSystem::reactions(double t, VecIn q, VecIn v, VecIn lambda,
                                                                  std::vector<Wrench>& on_links) const {
  const Scratch& s = *scratch_;
  look_at(t, q, v);
  std::vector<Reaction> all;
  int at = 0;
  for (std::size_t i = 0; i < s.constraints.items().size(); ++i) {
    const Constraints::Item& item = s.constraints.items()[i];
    if (item.tree) continue;
    Reaction reaction{static_cast<int>(i), {}, lambda.segment(at, item.rows)};
    for (std::size_t k = 0; k < item.links.size(); ++k) {
      const Vector<double, 6> wrench = wrench_on(item, static_cast<int>(k), lambda.data() + at);
      if (k == 0) reaction.on_body = {wrench.head<3>(), wrench.tail<3>()};
      on_links[item.links[k]].force += wrench.head<3>();
      on_links[item.links[k]].torque += wrench.tail<3>();
    }
    at += item.rows;
    all.push_back(std::move(reaction));
  }
  return all;
}

std::vector<char> MechanismSystem::redundant_rows(double t, VecIn q) const {
  const Scratch& s = *scratch_;
  look_at(t, q);
  factor();
  std::vector<char> redundant;
  for (const int row : s.own_rows) redundant.push_back(s.kkt.redundant()[row]);
  return redundant;
}

}  // namespace torsor
