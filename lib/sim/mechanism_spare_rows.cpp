#include <algorithm>

#include "mechanism_scratch.hpp"
#include "text.hpp"

// Redundant rows within a step.

namespace torsor {
namespace {

/// Up to this condition, against that of the start, the solver's choice of redundant rows is a good one.
constexpr double regular = 10;

/// What the state at the beginning of a step may miss a spare row by: m and rad, and times what it misses the
/// others by.
constexpr double missed = 1e-6, beside_others = 1e3;

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
/// of a step are, their pivots are d^2 or they contradict the others. A step goes without the rows that are
/// redundant where it begins, as long as there are as many of them as at the start; index 1 takes its
/// accelerations at the nearest state upon the constraints instead.
void MechanismSystem::leave_out_spare_rows(double t, VecIn q) const {
  Scratch& s = *scratch_;
  const bool all = s.treatment == Treatment::index_1 || s.treatment == Treatment::viscous;
  const bool none = !s.first_growth.empty() && s.first_redundant == 0;
  if (all || none || !s.kkt.has_loops()) return;
  set_absent(s.gives_way);
  look_at(t, q);
  factor();
  if (s.first_redundant == 0) return;
  check_spare_rows(t);
  const bool chosen_well = s.conditioning < regular && s.kkt.redundant_rows() == s.first_redundant;
  if ((s.spare.empty() || chosen_well) && s.kkt.redundant() != s.spare_pivots) {
    s.spare_pivots = s.kkt.redundant();
    s.spare_growth.clear();
    const std::vector<char> redundant = redundant_rows(t, q);
    s.spare.assign(s.absent.size(), 0);
    for (std::size_t i = 0; i < redundant.size(); ++i) s.spare[s.own_rows[i]] = redundant[i];
  }
  set_absent(s.spare);
}

/// Rows that depended on the others and now ask for something else are refused.
void MechanismSystem::check_spare_rows(double t) const {
  const Scratch& s = *scratch_;
  if (s.spare.empty()) return;
  double held = 0;
  for (const int row : s.own_rows)
    if (!s.spare[row]) held = std::max(held, std::abs(s.values.phi[row]));
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
