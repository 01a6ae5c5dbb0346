#include <algorithm>
#include <cmath>

#include "mechanism_scratch.hpp"
#include "text.hpp"

// The rank of the constraints, from the pivots of the factorisation.

namespace torsor {
namespace {

/// If the pivot growth falls below the growth at the start divided by this, the start was near a loss of
/// rank.
constexpr double start_was_near = 1e3;

/// Greatest residual of a redundant row that is not a contradiction: m, rad and their rates.
constexpr double negligible = 1e-10;

std::string quoted(const Constraints::Item* item) {
  return item ? std::string("\"").append(item->name).append("\"") : "none";
}

}  // namespace

double MechanismSystem::conditioning() const { return scratch_->worst_conditioning; }

std::string MechanismSystem::worst_conditioned() const {
  const int worst = scratch_->worst_item;
  return worst < 0 ? std::string() : constraints().items()[static_cast<std::size_t>(worst)].name;
}

/// Sets `conditioning`: the greatest ratio, over the joints and constraints, of the pivot growth to that at
/// the start. It stays 1 without closed loops, since only these can make one joint depend on others. While
/// redundant rows are left out, the ratio is scaled such that, where these rows were last chosen, it is the
/// same as with all rows. If the start turns out to have been near a loss of rank, the reference is set
/// anew.
void MechanismSystem::find_conditioning() const {
  Scratch& s = *scratch_;
  if (!s.kkt.has_loops()) return;
  const auto& items = s.constraints.items();
  const bool all = s.left_out == s.gives_way;
  std::vector<double>& first_growth = all ? s.first_growth : s.redundant_growth;
  const bool first = first_growth.empty();
  const double at_first = all ? 1 : s.conditioning;
  if (first) first_growth.assign(items.size(), 1);
  if (first && all) s.first_redundant = s.kkt.redundant_rows();
  s.conditioning = 1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto row = s.kkt.row_growth().begin() + items[i].row_begin;
    const double growth = *std::max_element(row, row + items[i].rows);
    if (first) first_growth[i] = std::max(growth, 1.) / at_first;
    if (all && growth > 0 && start_was_near * growth < first_growth[i]) {
      first_growth[i] = std::max(growth, 1.);
      s.redundant_growth.clear();
    }
    const double condition = growth / first_growth[i];
    s.conditioning = std::max(s.conditioning, condition);
    if (condition > s.worst_conditioning)
      s.worst_conditioning = condition, s.worst_item = static_cast<int>(i);
  }
}

/// Whether the residual of a row at V exceeds `negligible`. The solver's own test is relative to the terms
/// of the row, which may be nearly zero.
bool MechanismSystem::misses(const Constraints::Item& item, int row) const {
  const Scratch& s = *scratch_;
  double sum = -s.s[row];
  for (std::size_t k = 0; k < item.links.size(); ++k) {
    const double* const J = s.values.blocks.data() + s.constraints.block_offset()[item.block_begin + k];
    sum += Eigen::Map<const Vector<double, 6>>(J + 6 * (row - item.row_begin))
               .dot(s.V.segment<6>(6 * item.links[k]));
  }
  return std::abs(sum) > negligible;
}

/// Not empty if more rows are redundant than expected, or if a pivot has lost half of its digits.
std::string MechanismSystem::rank_doubt() const {
  const Scratch& s = *scratch_;
  if (!s.kkt.has_loops()) return {};
  const auto count = static_cast<int>(std::count(s.left_out.begin(), s.left_out.end(), 1));
  const bool more = s.kkt.redundant_rows() > (s.left_out == s.gives_way ? s.first_redundant : count);
  if (!more && s.kkt.pivot_growth() < sim::half_lost) return {};
  const std::string names = contradictions().names;
  return "the constraints nearly lose rank in " + (names.empty() ? quoted(grown_most()) : names) +
         ", condition " +
         (more ? "above " + sim::brief(1 / KktSolver::redundant_below) : sim::brief(s.kkt.pivot_growth()));
}

/// The name, in quotes, of the joint or constraint with the greatest pivot growth.
const Constraints::Item* MechanismSystem::grown_most() const {
  const Scratch& s = *scratch_;
  for (const Constraints::Item& item : s.constraints.items()) {
    const int row = s.kkt.pivot_growth_row() - item.row_begin;
    if (row >= 0 && row < item.rows) return &item;
  }
  return nullptr;
}

/// The names of the rows that the last solution does not satisfy.
MechanismSystem::Contradictions MechanismSystem::contradictions() const {
  const Scratch& s = *scratch_;
  Contradictions found;
  if (s.kkt.contradictory().empty()) return found;
  for (const Constraints::Item& item : s.constraints.items())
    for (const int row : s.kkt.contradictory())
      if (row >= item.row_begin && row < item.row_begin + item.rows && misses(item, row)) {
        if (found.names.empty()) found.first = item.part();
        found.names += (found.names.empty() ? "" : ", ") + quoted(&item) + " (row " +
                       std::to_string(row - item.row_begin + 1) + ")";
      }
  return found;
}

void MechanismSystem::blame_singular(double t) const {
  const Constraints::Item* const item = grown_most();
  throw EvaluationError(StepStatus::singular,
                        "the constraints lose rank at t = " + sim::text(t) + " in " + quoted(item) +
                            ": condition " + sim::brief(scratch_->kkt.pivot_growth()),
                        item ? item->part() : Part());
}

}  // namespace torsor
