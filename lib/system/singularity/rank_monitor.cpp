#include "rank_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrators/rank_limits.hpp"
#include "system/text.hpp"
#include "torsor/lie/status.hpp"

namespace torsor::mechanics {
namespace {

/// Pivot growth beyond which the constraints have lost rank: only two digits of the multipliers are correct.
constexpr double singular_growth = 1e13;

/// Pivot growth at which a row has half of its digits left: it is certainly independent, but near a loss of
/// rank.
const double half_growth = 1 / std::sqrt(KktSolver::redundant_below);

/// Limits of the condition. Below `regular`, the factors at one state serve nearby states. Below
/// `good_choice`, the solver's choice of redundant rows is good.
constexpr double regular = 2, good_choice = 10;

}  // namespace

std::string quoted(const Constraints::Item* item) {
  return item ? std::string("\"").append(item->name).append("\"") : "none";
}

RankMonitor::RankMonitor(const KktSolver& kkt, const StepperRows& rows, const Constraints& constraints)
    : kkt_(kkt), rows_(rows), constraints_(constraints) {}

/// While redundant rows are left out, the condition is scaled such that, where these rows were last chosen,
/// it is the same as with all rows. If the start turns out to have been near a loss of rank, the reference is
/// set anew, at the beginning of a step: other states need not be on the motion.
void RankMonitor::observe(double t) {
  if (!(kkt_.pivot_growth() < singular_growth)) {
    const Constraints::Item* const item = grown_most();
    throw EvaluationError(StepStatus::singular,
                          "the constraints lose rank at t = " + text(t) + " in " + quoted(item) +
                              ": condition " + brief(kkt_.pivot_growth()),
                          item ? item->part() : Part());
  }
  if (!kkt_.has_loops()) return;
  const auto& items = constraints_.items();
  const bool all = rows_.only_replaced_left_out();
  std::vector<double>& reference = all ? first_growth_ : reduced_growth_;
  const bool first = reference.empty();
  const double at_first = all ? 1 : condition_;
  if (first) reference.assign(items.size(), 1);
  if (first && all) expected_redundant_ = kkt_.redundant_rows();
  condition_ = 1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto row = kkt_.row_growth().begin() + items[i].row_begin;
    const double growth = *std::max_element(row, row + items[i].rows);
    if (first) reference[i] = std::max(growth, 1.) / at_first;
    if (all && beginning_ && growth > 0 && start_was_near * growth < reference[i]) {
      reference[i] = std::max(growth, 1.);
      reduced_growth_.clear();
    }
    const double condition = growth / reference[i];
    condition_ = std::max(condition_, condition);
    if (condition > worst_condition_) worst_condition_ = condition, worst_ = &items[i];
  }
  if (std::exchange(beginning_, false)) began_singular_ = more_redundant();
}

bool RankMonitor::awaits_reference() const {
  const bool may_be_near = std::any_of(first_growth_.begin(), first_growth_.end(),
                                       [](double growth) { return growth > start_was_near; });
  return first_growth_.empty() || may_be_near || (!rows_.only_replaced_left_out() && reduced_growth_.empty());
}

bool RankMonitor::as_at_start() const {
  return condition_ < regular && kkt_.redundant_rows() == expected_redundant_;
}

bool RankMonitor::chooses_well() const {
  return condition_ < good_choice && kkt_.redundant_rows() == expected_redundant_;
}

bool RankMonitor::steep() const { return condition_ >= steep_from; }

bool RankMonitor::half_lost() const { return !(kkt_.pivot_growth() < half_growth); }

bool RankMonitor::more_redundant() const {
  const std::vector<char>& out = rows_.left_out();
  const auto left_out = static_cast<int>(std::count(out.begin(), out.end(), 1));
  return kkt_.redundant_rows() > (rows_.only_replaced_left_out() ? expected_redundant_ : left_out);
}

std::string RankMonitor::doubt(const std::string& contradictory) const {
  if (!kkt_.has_loops() || !(more_redundant() || half_lost())) return {};
  return "the constraints nearly lose rank in " +
         (contradictory.empty() ? quoted(grown_most()) : contradictory) + ", condition " +
         (more_redundant() ? "above " + brief(1 / KktSolver::redundant_below) : brief(kkt_.pivot_growth()));
}

void RankMonitor::expect_redundant_rows() {
  expected_redundant_ = kkt_.redundant_rows();
  reduced_growth_.clear();
}

/// The joint or constraint with the greatest pivot growth.
const Constraints::Item* RankMonitor::grown_most() const {
  for (const Constraints::Item& item : constraints_.items()) {
    const int row = kkt_.pivot_growth_row() - item.row_begin;
    if (row >= 0 && row < item.rows) return &item;
  }
  return nullptr;
}

}  // namespace torsor::mechanics
