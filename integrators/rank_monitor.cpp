#include "integrators/rank_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace torsor {
namespace {

/// Pivot growth beyond which the constraints have lost rank: only two digits are correct.
constexpr double lost_growth = 1e13;

/// Pivot growth at which a row has half of its digits left, and at which it is dependent.
const double half_growth = 1 / std::sqrt(RankMonitor::dependent_below);
constexpr double dependent_growth = 1 / RankMonitor::dependent_below;

/// If the pivot growth falls below the growth at the start divided by this, the start was near a loss of
/// rank.
constexpr double near_start = 1e3;

/// Below this condition, the factors at one state serve nearby states.
constexpr double regular = 2;

/// The number with three significant digits.
std::string brief_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

}  // namespace

void RankMonitor::begin_run() { *this = RankMonitor(std::move(groups_)); }

void RankMonitor::begin_step() {
  worst_condition_ = 1;
  std::fill(conditions_.begin(), conditions_.end(), 1.);
  beginning_ = true, began_singular_ = false;
}

/// While redundant rows are left out, the condition is scaled such that, where these rows were last chosen,
/// it is the same as with all rows. In the same way, it stays the same where the solver first changes to
/// other unknowns. If the start turns out to have been near a loss of rank, the reference is set anew, at the
/// beginning of a step: other states need not be on the motion.
bool RankMonitor::observe(const Pivots& pivots) {
  found_ = pivots, found_.growth = {};
  if (!(pivots.greatest < lost_growth)) return false;
  if (pivots.growth.empty()) return true;
  if (!expected_) expected_ = pivots.dependent;
  if (growth_at_start_ == 0) growth_at_start_ = pivots.greatest;
  if (beginning_) began_singular_ = more_dependent();
  const bool all = !pivots.left_out, lacks_rank = more_dependent() && !began_singular_;
  References &own = references_[pivots.in_coordinates ? 1 : 0],
             &other = references_[pivots.in_coordinates ? 0 : 1];
  std::vector<double>& reference = all ? own.all : own.reduced;
  const double at_first = all && other.all.empty() ? 1 : condition_;
  const bool first = reference.empty();
  if (first) reference.assign(std::max<std::size_t>(groups_.size(), 1), 1);
  conditions_.resize(reference.size(), 1);
  condition_ = 1;
  auto row = pivots.growth.begin();
  for (std::size_t group = 0; group < reference.size(); ++group) {
    const auto end = groups_.empty() ? pivots.growth.end() : row + groups_[group];
    const auto greatest = std::max_element(row, end);
    if (first) reference[group] = std::max(*greatest, 1.) / at_first;
    if (all && beginning_ && *greatest > 0 && near_start * *greatest < reference[group]) {
      reference[group] = std::max(*greatest, 1.);
      own.reduced.clear();
    }
    count(*greatest / reference[group], static_cast<int>(greatest - pivots.growth.begin()), group);
    row = end;
  }
  if (lacks_rank)
    count(dependent_growth / *std::max_element(reference.begin(), reference.end()), pivots.dependent_row,
          group_of(pivots.dependent_row));
  beginning_ = false;
  return true;
}

std::size_t RankMonitor::group_of(int row) const {
  std::size_t group = 0;
  for (int end = groups_.empty() ? row + 1 : groups_[0]; row >= end; end += groups_[group]) ++group;
  return group;
}

void RankMonitor::count(double condition, int row, std::size_t group) {
  condition_ = std::max(condition_, condition);
  conditions_[group] = std::max(conditions_[group], condition);
  if (condition > worst_condition_) worst_condition_ = condition, worst_row_ = row;
}

bool RankMonitor::awaits_reference(bool reduced) const {
  const References& own = references();
  const bool may_be_near =
      std::any_of(own.all.begin(), own.all.end(), [](double growth) { return growth > near_start; });
  return own.all.empty() || may_be_near || (reduced && own.reduced.empty());
}

bool RankMonitor::as_at_start() const { return condition_ < regular && found_.dependent == expected(); }

bool RankMonitor::chooses_well() const { return condition_ < good_choice && found_.dependent == expected(); }

bool RankMonitor::steep() const { return condition_ >= good_choice; }

bool RankMonitor::was_steep() const { return worst_condition_ >= good_choice; }

bool RankMonitor::half_lost() const { return !(found_.greatest < half_growth); }

bool RankMonitor::start_was_near() const { return near_start * found_.greatest < growth_at_start_; }

std::string RankMonitor::doubt(const std::string& name) const {
  return "the constraints nearly lose rank in " + name + ", condition " +
         (more_dependent() ? "above " + brief_text(dependent_growth) : brief_text(found_.greatest));
}

std::string RankMonitor::loss(const std::string& name, const std::string& t) const {
  return "the constraints lose rank at t = " + t + " in " + name + ": condition " +
         brief_text(found_.greatest);
}

void RankMonitor::expect(int dependent) {
  expected_ = dependent;
  for (References& each : references_) each.reduced.clear();
}

}  // namespace torsor
