#include "body_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include "length_unit.hpp"
#include "model/constraints/constraint_kind.hpp"
#include "text.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {
namespace {

/// A redundant row with a residual up to this, in `unit` or relative to the greatest terms of all rows, does
/// not contradict the other rows. In fast planar mechanisms in space, rounding left up to 200 eps of these
/// terms.
constexpr double negligible = 1e-10;

static_assert(RankMonitor::dependent_below == KktSolver::redundant_below);

/// Whether a constraint resists a common rigid motion of its bodies.
bool grounded(const Constraint& constraint) {
  return with_kind(constraint, [](const auto& kind, const auto&) { return kind.resists_rigid_motion(); });
}

/// The length that divides torques in the least norm of the multipliers, m: the greatest distance of a joint
/// from the mass centre of a body that it connects, but at least the greatest radius of gyration; 1 m if both
/// are 0. Only joints and bodies with rows count.
double lever(const Model& model, const Constraints& constraints) {
  const Mechanism& mechanism = model.mechanism();
  double length = 0;
  for (const Constraints::Item& item : constraints.items()) {
    for (const int link : item.links)
      if (const Body& body = mechanism.bodies[model.body[link]]; !body.particle)
        length = std::max(length, std::sqrt(body.inertia.trace() / (2 * body.mass)));
    if (item.joint < 0) continue;
    const Joint& joint = mechanism.joints[item.joint];
    if (joint.child != world) length = std::max(length, joint.X_CM.p.norm());
    if (joint.parent != world) length = std::max(length, joint.X_PF.p.norm());
  }
  return length > 0 ? length : 1;
}

/// KktGraph::Constraint::moves of a constraint: the bodies of the joints in a JointCoupling, without bodies
/// that several of these joints share, and without joints that have no rows.
std::vector<std::pair<int, int>> moved_bodies(const Model& model, const Constraint& constraint,
                                              const std::vector<int>& item_of_joint) {
  const auto* coupling = std::get_if<JointCoupling>(&constraint.law);
  if (!coupling) return {};
  std::vector<std::pair<int, int>> all;
  for (const auto& term : coupling->terms) {
    const Joint& joint = model.mechanism().joints[term.joint];
    for (const int body : {joint.parent, joint.child})
      if (body != world) all.emplace_back(model.link_of_body[body], item_of_joint[term.joint]);
  }
  const auto moved_twice_or_free = [terms = all](const std::pair<int, int>& one) {
    const auto same = [&](const std::pair<int, int>& other) { return other.first == one.first; };
    return one.second < 0 || std::count_if(terms.begin(), terms.end(), same) > 1;
  };
  std::erase_if(all, moved_twice_or_free);
  return all;
}

/// The number of rows of each item.
std::vector<int> sizes(const Constraints& constraints) {
  std::vector<int> all;
  for (const Constraints::Item& item : constraints.items()) all.push_back(item.rows);
  return all;
}

}  // namespace

std::string quoted(const Constraints::Item* item) {
  return item ? std::string("\"").append(item->name).append("\"") : "none";
}

KktGraph graph_of(const Model& model, const Constraints& constraints) {
  KktGraph graph;
  std::vector<int> item_of_joint(model.mechanism().joints.size(), -1);
  graph.parent = model.span_parent;
  for (const Constraints::Item& item : constraints.items()) {
    KktGraph::Constraint node{item.rows, item.links};
    node.grounded =
        item.grounded || (item.constraint >= 0 && grounded(model.mechanism().constraints[item.constraint]));
    if (item.joint >= 0) {
      item_of_joint[item.joint] = static_cast<int>(graph.constraints.size());
      node.joint_of = model.span_link_of_joint[item.joint];
    }
    if (item.constraint >= 0)
      node.moves = moved_bodies(model, model.mechanism().constraints[item.constraint], item_of_joint);
    graph.constraints.push_back(std::move(node));
  }
  return graph;
}

BodySolver::BodySolver(BodyEquations& bodies, StepperRows& rows)
    : bodies_(bodies),
      rows_(rows),
      kkt_(graph_of(bodies.model(), bodies.constraints())),
      rank_(sizes(bodies.constraints())) {
  const double length = lever(bodies.model(), bodies.constraints());
  length_unit_ = length_unit(length);
  std::vector<double> scale;
  for (const Constraints::Row& row : bodies.constraints().rows())
    scale.push_back(row.kind == Constraints::Row::Kind::torque ? 1 / length : 1);
  kkt_.set_row_scale(scale, length);
}

double BodySolver::unit(int row) const {
  return bodies_.constraints().rows()[row].kind == Constraints::Row::Kind::torque ? 1 : length_unit_;
}

void BodySolver::begin_run() {
  place_ = -1;
  contradictory_.clear();
  rank_.begin_run();
  begin_step();
}

void BodySolver::begin_step() {
  serves_nearby_ = false;
  rank_.begin_step();
}

/// The joint or constraint of a row; nullptr if the row is -1.
const Constraints::Item* BodySolver::item_of(int row) const {
  for (const Constraints::Item& item : bodies_.constraints().items())
    if (row >= item.row_begin && row < item.row_begin + item.rows) return &item;
  return nullptr;
}

/// Throws EvaluationError (singular) if the constraints have lost rank.
void BodySolver::observe() {
  Pivots pivots;
  if (kkt_.has_loops()) {
    pivots.growth = kkt_.row_growth();
    const std::vector<char>& out = rows_.left_out();
    if (!rows_.only_replaced_left_out())
      pivots.left_out = static_cast<int>(std::count(out.begin(), out.end(), 1));
  }
  pivots.in_coordinates = kkt_.uses_coordinates();
  pivots.greatest = kkt_.pivot_growth();
  pivots.greatest_row = pivots.dependent_row = kkt_.pivot_growth_row();
  pivots.dependent = kkt_.redundant_rows();
  if (const auto& redundant = kkt_.redundant(); pivots.dependent > 0 && pivots.dependent_row < 0)
    pivots.dependent_row =
        static_cast<int>(std::find(redundant.begin(), redundant.end(), 1) - redundant.begin());
  if (rank_.observe(pivots)) return;
  const Constraints::Item* const item = item_of(rank_.doubtful_row());
  throw EvaluationError(StepStatus::singular, rank_.loss(quoted(item), text(bodies_.t())),
                        item ? item->part() : Part());
}

std::string BodySolver::rank_doubt() const {
  if (!kkt_.has_loops() || !rank_.in_doubt()) return {};
  return rank_.doubt(contradictory_.empty() ? quoted(item_of(rank_.doubtful_row())) : contradictory_);
}

/// Whether the present factors belong to the instant of `bodies`. Forgets them if they do not.
bool BodySolver::has_factors() {
  if (place_ == bodies_.place() && choice_ == rows_.choice()) {
    if (!serves_nearby_) observe();  // first use of these factors in this step
    return serves_nearby_ = true;
  }
  place_ = -1;
  return serves_nearby_ = false;
}

void BodySolver::accept_factors() {
  observe();
  place_ = bodies_.place(), choice_ = rows_.choice();
  t_ = bodies_.t(), q_ = bodies_.q();
  serves_nearby_ = true;
}

void BodySolver::factor() {
  if (has_factors()) return;
  kkt_.factor(bodies_.metric().data(), rows_.blocks(bodies_));
  accept_factors();
}

void BodySolver::factor_nearby(double reach) {
  if (serves_nearby_ && t_ == bodies_.t() && choice_ == rows_.choice() && rank_.as_at_start() &&
      (bodies_.q() - q_).lpNorm<Eigen::Infinity>() < std::min(reach, next_to))
    return;
  factor();
}

bool BodySolver::solve(const Vec& W, const Vec& s, Vec& V, Vec& y, Multipliers which) {
  kkt_.solve(W.data(), s.data(), V.data(), y.data(), which);
  return satisfies(s, V);
}

bool BodySolver::factor_and_solve(const Vec& W, const Vec& s, Vec& V, Vec& y, Multipliers which) {
  if (has_factors()) return solve(W, s, V, y, which);
  kkt_.factor_and_solve(bodies_.metric().data(), rows_.blocks(bodies_), W.data(), s.data(), V.data(),
                        y.data(), which);
  accept_factors();
  return satisfies(s, V);
}

void BodySolver::solve_or_throw(const Vec& W, const Vec& s, Vec& V, Vec& y, Multipliers which) {
  if (!solve(W, s, V, y, which)) throw_contradiction();
}

void BodySolver::throw_contradiction() const {
  const std::string doubt = rank_doubt();
  throw EvaluationError(
      StepStatus::singular,
      doubt.empty() ? "constraints contradict the others at t = " + text(bodies_.t()) + ": " + contradictory_
                    : doubt + " at t = " + text(bodies_.t()),
      first_contradictory_);
}

/// The greatest sum of the absolute values of the terms of a row, in `unit`.
double BodySolver::greatest_terms(const Vec& s, const Vec& V) const {
  double greatest = 0;
  for (const Constraints::Item& item : bodies_.constraints().items())
    for (int row = 0; row < item.rows; ++row) {
      const int index = item.row_begin + row;
      const double terms = std::abs(s[index]) + bodies_.row_terms(item, row, V);
      greatest = std::max(greatest, terms / unit(index));
    }
  return greatest;
}

/// Finds the rows that V does not satisfy; returns whether there are none. The solver's own test of a row is
/// relative to its terms, which may be nearly zero, while rounding errors of the accelerations come from the
/// terms of all rows.
bool BodySolver::satisfies(const Vec& s, const Vec& V) {
  contradictory_.clear();
  if (kkt_.contradictory().empty()) return true;
  double limit = 0;  // 0: not known yet
  auto item = bodies_.constraints().items().begin();
  for (const int index : kkt_.contradictory()) {  // ascending, as the rows of the items
    while (index >= item->row_begin + item->rows) ++item;
    const int row = index - item->row_begin;
    const double residual = std::abs(bodies_.row_times(*item, row, V) - s[index]) / unit(index);
    if (!(residual > negligible)) continue;
    if (limit == 0) limit = negligible * std::max(1., greatest_terms(s, V));
    if (!(residual > limit)) continue;
    if (contradictory_.empty()) first_contradictory_ = item->part();
    contradictory_ +=
        (contradictory_.empty() ? "" : ", ") + quoted(&*item) + " (row " + std::to_string(row + 1) + ")";
  }
  return contradictory_.empty();
}

}  // namespace torsor::mechanics
