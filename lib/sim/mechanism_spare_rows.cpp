#include <algorithm>
#include <cmath>

#include "mechanism_scratch.hpp"
#include "text.hpp"

// Redundant rows within a step.

namespace torsor {
namespace {

/// Up to this condition, against that of the start, the solver's choice of redundant rows is a good one.
constexpr double good_choice = 10;

/// What the state at the beginning of a step may miss a spare row by: m and rad, and times what it misses the
/// others by.
constexpr double missed = 1e-6, beside_others = 1e3;

/// How far off a place where rank is lost the pivots, which are squares, tell that it is not, m and rad.
const double telling = 10 * std::sqrt(KktSolver::redundant_below);

}  // namespace

void MechanismSystem::set_absent(const std::vector<char>& absent) const {
  Scratch& s = *scratch_;
  if (s.absent == absent) return;
  s.absent = absent;
  s.factored = false;
  s.q_factored.resize(0);
}

MechanismSystem::AllRows::AllRows(const MechanismSystem& system)
    : system_(system), absent_(system.scratch_->absent) {
  system.set_absent(system.scratch_->gives_way);
}

MechanismSystem::AllRows::~AllRows() { system_.set_absent(absent_); }

/// Some rows depend on the others upon the constraints alone: off them by d, where the stages and iterations
/// of a step are, their pivots are d^2, so that they would count as independent, with accelerations that are
/// worthless, or they contradict the others. A step goes without the rows that are redundant where it begins,
/// as long as there are as many of them as at the start: what the others ask for is then the same upon the
/// constraints, and smooth off them.
void MechanismSystem::leave_out_spare_rows(double t, VecIn q) const {
  Scratch& s = *scratch_;
  const bool none = !s.first_growth.empty() && s.first_redundant == 0;
  if (none || !s.kkt.has_loops()) return;
  set_absent(s.gives_way);
  look_at(t, q);
  factor();
  if (rank_has_risen() && s.kkt.pivot_growth() < sim::half_lost) choose_spare_rows(t, q);
  if (s.first_redundant == 0) return;
  if (s.spare.empty()) s.q_start = q;
  check_spare_rows(t);
  const bool chosen_well = s.conditioning < good_choice && s.kkt.redundant_rows() == s.first_redundant;
  if ((s.spare.empty() || chosen_well) && s.kkt.redundant() != s.spare_pivots) choose_spare_rows(t, q);
  set_absent(s.spare);
}

/// By how much the state of `values` misses the rows that steps do not leave out, m and rad.
double MechanismSystem::missed_by() const {
  const Scratch& s = *scratch_;
  double held = 0;
  for (const int row : s.own_rows)
    if (s.spare.empty() || !s.spare[row]) held = std::max(held, std::abs(s.values.phi[row]));
  return held;
}

/// Whether fewer rows are redundant than there were at the start, and not only because the state is off the
/// constraints.
bool MechanismSystem::rank_has_risen() const {
  const Scratch& s = *scratch_;
  const double held = missed_by();
  return s.kkt.redundant_rows() < s.first_redundant && held * held < KktSolver::redundant_below;
}

void MechanismSystem::choose_spare_rows(double t, VecIn q) const {
  Scratch& s = *scratch_;
  s.first_redundant = s.kkt.redundant_rows();
  s.spare_pivots = s.kkt.redundant();
  s.spare_growth.clear();
  const std::vector<char> redundant = redundant_rows(t, q);
  s.spare.assign(s.absent.size(), 0);
  for (std::size_t i = 0; i < redundant.size(); ++i) s.spare[s.own_rows[i]] = redundant[i];
}

/// A motion may start at a place where more rows are redundant than around it (a four-bar that lies flat):
/// spare are those that are so at both ends of the first step that is long enough to tell.
bool MechanismSystem::end_step(double t, VecIn q) const {
  Scratch& s = *scratch_;
  if (s.spare_around_start || s.spare.empty()) return true;
  s.spare_around_start = (q - s.q_start).lpNorm<Eigen::Infinity>() > telling;
  const AllRows all(*this);
  look_at(t, q);
  factor();
  if (!rank_has_risen()) return true;
  choose_spare_rows(t, q);
  return false;
}

/// Rows that depended on the others and now ask for something else are refused.
void MechanismSystem::check_spare_rows(double t) const {
  const Scratch& s = *scratch_;
  if (s.spare.empty()) return;
  const double held = missed_by();
  std::string names;
  for (const Constraints::Item& item : s.constraints.items())
    for (int row = item.row_begin; row < item.row_begin + item.rows; ++row)
      if (s.spare[row] && !(std::abs(s.values.phi[row]) < missed + beside_others * held))
        names += (names.empty() ? "\"" : ", \"") + item.name + "\" (row " +
                 std::to_string(row - item.row_begin + 1) + ")";
  if (!names.empty())
    throw EvaluationError(StepStatus::singular,
                          "constraints contradict the others at t = " + sim::text(t) + ": " + names);
}

}  // namespace torsor
