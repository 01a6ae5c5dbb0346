#include <algorithm>
#include <cmath>

#include "mechanism_scratch.hpp"
#include "text.hpp"

// Redundant rows within a step.

namespace torsor {
namespace {

/// Up to this conditioning, relative to the start, the solver's choice of redundant rows is good.
constexpr double good_choice = 10;

/// Greatest residual of a redundant row at the beginning of a step: `missed` (m, rad) plus `beside_others`
/// times the greatest residual of the other rows.
constexpr double missed = 1e-6, beside_others = 1e3;

/// Distance from a singular configuration, m and rad, at which the pivots, which are of the order of its
/// square, show that the rank is full.
const double telling = 10 * std::sqrt(KktSolver::redundant_below);

}  // namespace

void MechanismSystem::set_left_out(const std::vector<char>& rows) const {
  Scratch& s = *scratch_;
  if (s.left_out == rows) return;
  s.left_out = rows;
  s.factored = false;
  s.q_factored.resize(0);
}

MechanismSystem::AllRows::AllRows(const MechanismSystem& system)
    : system_(system), left_out_(system.scratch_->left_out) {
  system.set_left_out(system.scratch_->gives_way);
}

MechanismSystem::AllRows::~AllRows() { system_.set_left_out(left_out_); }

/// Some rows depend on the others only where the constraints hold. The stages and iterations of a step are
/// off the constraints by some distance d, and there the pivots of these rows are of order d^2: the rows
/// would count as independent and give worthless accelerations, or contradict the others. So a step leaves
/// out redundant rows. On the constraints the other rows require the same motion, and off them this motion
/// is smooth. After the first choice, a step chooses these rows anew only if as many rows are redundant at
/// its beginning as at the start and the conditioning is good, or if certainly fewer rows are redundant.
void MechanismSystem::leave_out_redundant_rows(double t, VecIn q) const {
  Scratch& s = *scratch_;
  const bool none = !s.first_growth.empty() && s.first_redundant == 0;
  if (none || !s.kkt.has_loops()) return;
  set_left_out(s.gives_way);
  look_at(t, q);
  factor();
  if (rank_has_risen() && s.kkt.pivot_growth() < sim::half_lost) choose_redundant_rows(t, q);
  if (s.first_redundant == 0) return;
  if (s.redundant.empty()) s.q_start = q;
  check_redundant_rows(t);
  const bool chosen_well = s.conditioning < good_choice && s.kkt.redundant_rows() == s.first_redundant;
  if ((s.redundant.empty() || chosen_well) && s.kkt.redundant() != s.redundant_pivots)
    choose_redundant_rows(t, q);
  set_left_out(s.redundant);
}

/// The greatest residual, m and rad, of the rows that steps keep, at the state of `values`.
double MechanismSystem::missed_by() const {
  const Scratch& s = *scratch_;
  double held = 0;
  for (const int row : s.own_rows)
    if (s.redundant.empty() || !s.redundant[row]) held = std::max(held, std::abs(s.values.phi[row]));
  return held;
}

/// Whether fewer rows are redundant than at the start, for another reason than that the state is off the
/// constraints.
bool MechanismSystem::rank_has_risen() const {
  const Scratch& s = *scratch_;
  const double held = missed_by();
  return s.kkt.redundant_rows() < s.first_redundant && held * held < KktSolver::redundant_below;
}

void MechanismSystem::choose_redundant_rows(double t, VecIn q) const {
  Scratch& s = *scratch_;
  s.first_redundant = s.kkt.redundant_rows();
  s.redundant_pivots = s.kkt.redundant();
  s.redundant_growth.clear();
  const std::vector<char> redundant = redundant_rows(t, q);
  s.redundant.assign(s.left_out.size(), 0);
  for (std::size_t i = 0; i < redundant.size(); ++i) s.redundant[s.own_rows[i]] = redundant[i];
}

/// A motion may start in a singular configuration, where more rows are redundant than around it (a four-bar
/// linkage that lies flat). Steps then leave out the rows that are redundant at both ends of the first step
/// that is longer than `telling`. Returns false if the step has to be taken again.
bool MechanismSystem::end_step(double t, VecIn q) const {
  Scratch& s = *scratch_;
  if (s.redundant_around_start || s.redundant.empty()) return true;
  s.redundant_around_start = (q - s.q_start).lpNorm<Eigen::Infinity>() > telling;
  const AllRows all(*this);
  look_at(t, q);
  factor();
  if (!rank_has_risen()) return true;
  choose_redundant_rows(t, q);
  return false;
}

/// Throws if a redundant row now contradicts the other rows.
void MechanismSystem::check_redundant_rows(double t) const {
  const Scratch& s = *scratch_;
  if (s.redundant.empty()) return;
  const double held = missed_by();
  std::string names;
  Part first;
  for (const Constraints::Item& item : s.constraints.items())
    for (int row = item.row_begin; row < item.row_begin + item.rows; ++row)
      if (s.redundant[row] && !(std::abs(s.values.phi[row]) < missed + beside_others * held)) {
        if (names.empty()) first = item.part();
        names += (names.empty() ? "\"" : ", \"") + item.name + "\" (row " +
                 std::to_string(row - item.row_begin + 1) + ")";
      }
  if (!names.empty())
    throw EvaluationError(StepStatus::singular,
                          "constraints contradict the others at t = " + sim::text(t) + ": " + names, first);
}

}  // namespace torsor
