#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanism_scratch.hpp"
#include "text.hpp"
#include "torsor/model/kinematics.hpp"

namespace torsor {
namespace {

/// Pivot growth beyond which the constraints have lost rank: two digits of the multipliers are left.
constexpr double singular_growth = 1e13;

/// Conditioning, relative to the start, from which on the state may be too far off the constraints: see
/// `accelerate`.
constexpr double steep_from = 10;

/// An iteration may use a factorisation whose state is within `next_to`, m and rad, of (t, q) and whose
/// conditioning, relative to the start, is below `regular`.
constexpr double next_to = 1e-6, regular = 2;

}  // namespace

MechanismSystem::MechanismSystem(const Model& model, double length, Treatment treatment,
                                 const TreatmentParameters& parameters)
    : tree_(model, length), scratch_(std::make_unique<Scratch>(model, length, treatment, parameters)) {}

MechanismSystem::~MechanismSystem() = default;

int MechanismSystem::rows() const { return static_cast<int>(scratch_->own_rows.size()); }

const std::vector<char>& MechanismSystem::holonomic() const { return scratch_->holonomic; }

const Constraints& MechanismSystem::constraints() const { return scratch_->constraints; }

long MechanismSystem::general_solutions() const { return scratch_->kkt.general_solutions(); }

bool MechanismSystem::conserves_energy() const {
  const auto& rows = constraints().rows();
  return forces().conserve_energy() && !scratch_->has_friction &&
         std::none_of(rows.begin(), rows.end(), [](const Constraints::Row& row) { return row.rheonomic; });
}

/// Computes kinematics and rows at (t, q, v), unless those of the last call are for the same point.
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

/// The same at (t, q), for any velocities.
void MechanismSystem::look_at(double t, VecIn q) const {
  const Scratch& s = *scratch_;
  if (!(s.t == t && s.q.size() == q.size() && s.q == q)) look_at(t, q, s.zero);
}

/// The blocks of A_B, with zeros in rows that are left out.
const double* MechanismSystem::exact_blocks() const {
  Scratch& s = *scratch_;
  if (std::find(s.left_out.begin(), s.left_out.end(), 1) == s.left_out.end()) return s.values.blocks.data();
  s.blocks = s.values.blocks;
  for (const Constraints::Item& item : s.constraints.items())
    for (std::size_t k = 0; k < item.links.size(); ++k)
      for (int row = 0; row < item.rows; ++row)
        if (s.left_out[item.row_begin + row])
          std::fill_n(s.blocks.data() + s.constraints.block_offset()[item.block_begin + k] + 6 * row, 6, 0.);
  return s.blocks.data();
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
  s.kkt.factor(s.G.data(), exact_blocks());
  if (!(s.kkt.pivot_growth() < singular_growth)) blame_singular(s.t);
  find_conditioning();
  s.factored = true;
  s.q_factored = s.q, s.t_factored = s.t;
}

/// Factors at (t, q), unless the last factorisation was at the same t and at a state within `reach` of q.
void MechanismSystem::factor_nearby(double t, VecIn q, double reach) const {
  const Scratch& s = *scratch_;
  const bool as_at_start = s.conditioning < regular && s.kkt.redundant_rows() == s.first_redundant;
  if (!s.factored && s.t_factored == t && s.q_factored.size() == q.size() && as_at_start &&
      (q - s.q_factored).lpNorm<Eigen::Infinity>() < std::min(reach, next_to))
    return;
  look_at(t, q);
  factor();
}

/// Solves for V and y with the present factorisation, from W and s.
void MechanismSystem::solve_bodies(bool least_norm) const {
  Scratch& s = *scratch_;
  s.kkt.solve(s.W.data(), s.s.data(), s.V.data(), s.y.data(),
              least_norm ? KktSolver::Multipliers::least_norm : KktSolver::Multipliers::any);
  const auto [names, first] = contradictions();
  if (names.empty()) return;
  const std::string doubt = rank_doubt();
  throw EvaluationError(StepStatus::singular,
                        doubt.empty()
                            ? "constraints contradict the others at t = " + sim::text(s.t) + ": " + names
                            : doubt + " at t = " + sim::text(s.t),
                        first);
}

/// Sets W and s of the saddle-point equations for the accelerations at (t, q, v).
void MechanismSystem::set_equations(double t, VecIn q, VecIn v) const {
  Scratch& s = *scratch_;
  look_at(t, q, v);
  if (s.treatment == Treatment::dynamic) stabilise(t, q, v);
  load_bodies(t, q, v);
  for (int row = 0; row < s.constraints.size(); ++row) s.s[row] = s.left_out[row] ? 0 : -s.values.gamma[row];
  if (s.treatment == Treatment::dynamic)
    for (std::size_t i = 0; i < s.own_rows.size(); ++i) s.s[s.own_rows[i]] -= s.pull[i];
}

/// At a distance d off the constraints, rows that are redundant on them are nearly redundant, or contradict
/// the others: their pivots are of order d^2, and the accelerations that they give are worthless. The
/// stages of a method are only a little off the constraints. So near a loss of rank, or if rows contradict
/// each other, the acceleration is that of the nearest state that satisfies the constraints. The first
/// acceleration of a step, at its beginning, decides on `steep` for all stages of the step, so that they
/// see the same field.
void MechanismSystem::accelerate(double t, VecIn q, VecIn v, VecOut a, bool least_norm) const {
  Scratch& s = *scratch_;
  const auto which = least_norm ? KktSolver::Multipliers::least_norm : KktSolver::Multipliers::any;
  set_equations(t, q, v);
  factor();
  if (s.at_beginning) s.steep = s.conditioning >= steep_from && s.treatment != Treatment::dynamic;
  s.at_beginning = false;
  if (!s.steep) s.kkt.solve(s.W.data(), s.s.data(), s.V.data(), s.y.data(), which);
  if (s.steep || !contradictions().names.empty()) {
    s.q_near = q, s.v_near = v;
    project_position(t, s.q_near);
    project_velocity(t, s.q_near, s.v_near);
    set_equations(t, s.q_near, s.v_near);
    factor();
    solve_bodies(least_norm);
    find_bias(s.v_near);
  } else {
    find_bias(v);
  }
  for (int row = 0; row < s.constraints.size() && s.has_friction; ++row)
    if (s.gives_way[row]) s.y[row] = s.friction[row];
  s.reactions = s.y;
  s.V -= s.bias;
  joints_from_bodies(model(), s.work, s.V, a);
}

const Vec& MechanismSystem::mapped(double t, VecIn q, VecIn v) const {
  Scratch& s = *scratch_;
  s.mapped = v;
  if (MechanismSystem::maps_velocity()) MechanismSystem::velocity(t, q, v, s.mapped);
  return s.mapped;
}

void MechanismSystem::acceleration(double t, VecIn q, VecIn v, VecOut a) const {
  accelerate(t, q, mapped(t, q, v), a, false);
}

/// Off the constraints, the damping and stiffness terms of redundant rows contradict those of other rows
/// (treatment `dynamic`). So redundant rows are left out, and afterwards the multipliers are spread over
/// all rows by least norm.
void MechanismSystem::acceleration(double t, VecIn q, VecIn v, VecOut a, VecOut lambda) const {
  Scratch& s = *scratch_;
  const bool all = s.left_out == s.gives_way;
  if (s.treatment == Treatment::dynamic) leave_out_redundant_rows(t, q);
  accelerate(t, q, v, a, true);
  if (all && s.left_out != s.gives_way) {
    set_left_out(s.gives_way);
    look_at(t, q, v);
    factor();
    s.kkt.least_norm(s.y.data());
  }
  for (std::size_t i = 0; i < s.own_rows.size(); ++i) lambda[i] = s.y[s.own_rows[i]];
}

/// Sets s of A_B V = s from the rows of a stepper; 0 for tree joints.
void MechanismSystem::set_rows(VecIn rows) const {
  Scratch& s = *scratch_;
  s.s.setZero();
  for (std::size_t i = 0; i < s.own_rows.size(); ++i)
    if (const int row = s.own_rows[i]; !s.left_out[row]) s.s[row] = rows[i];
}

void MechanismSystem::solve(double t, VecIn q, VecIn r, VecIn rows, VecOut x, VecOut y) const {
  look_at(t, q);
  factor();
  solve_nearby(t, q, r, rows, x, y);
}

void MechanismSystem::solve_nearby(double t, VecIn q, VecIn r, VecIn rows, VecOut x, VecOut y) const {
  Scratch& s = *scratch_;
  look_at(t, q);
  factor_nearby(t, q, next_to);
  s.W.setZero();
  add_wrenches_of(model(), s.work, r, s.W);
  set_rows(rows);
  solve_bodies(true);
  joints_from_bodies(model(), s.work, s.V, x);
  for (std::size_t i = 0; i < s.own_rows.size(); ++i) y[i] = s.y[s.own_rows[i]];
}

}  // namespace torsor
