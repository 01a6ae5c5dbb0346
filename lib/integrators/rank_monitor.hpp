#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace torsor {

/// The results of a factorisation of constraint rows that concern their rank.
struct Pivots {
  /// By row: the size of the row divided by its pivot; 0 for a row that depends on the others. Empty if no
  /// row can depend on rows of another group.
  std::span<const double> growth;
  double greatest = 1;     ///< the greatest growth, at least 1
  int greatest_row = -1;   ///< its row; -1 if no growth is above 1
  int dependent = 0;       ///< number of rows that depend on the others
  int dependent_row = -1;  ///< one of them, if there are more than expected
  std::optional<int> left_out =
      {};  ///< how many of them the step leaves out as redundant; none if all rows act
  /// Whether the unknowns are joint coordinates; the growth of a row depends on the unknowns.
  bool in_coordinates = false;
};

/// Judges the rank of constraint rows from their pivots: the monitor of mechanisms and of systems with dense
/// rows. The verdicts and the origin of their limits are in docs/singular_configurations.md.
///
/// The condition of a group of rows is the greatest pivot growth of its rows, relative to that at the start
/// of the run. If more rows are dependent than expected, the condition is that at the limit of dependence. A
/// step that begins in such a state is an exception: stages near its beginning follow from the other rows
/// alone.
class RankMonitor {
 public:
  /// A row is dependent if its pivot is below this fraction of its size.
  static constexpr double dependent_below = 100 * std::numeric_limits<double>::epsilon();
  /// Up to this condition, the choice of redundant rows is good; from there on, a state may be too far off
  /// the constraints.
  static constexpr double good_choice = 10;

  /// The number of rows of each group, in the order of the rows; if empty, all rows are one group.
  explicit RankMonitor(std::vector<int> groups = {}) : groups_(std::move(groups)) {}

  /// Forgets earlier runs.
  void begin_run();
  /// From here on, `worst_condition` is the greatest condition of the new step.
  void begin_step();
  /// Call it after each factorisation, and where a step first uses an earlier one. Returns false if the
  /// constraints have lost rank; conditions and expected numbers are then unchanged.
  [[nodiscard]] bool observe(const Pivots& pivots);

  /// The greatest condition of all groups since `begin_step`, and the row that had it. If no condition since
  /// then was above 1, the row is that of an earlier step, or -1.
  double worst_condition() const { return worst_condition_; }
  int worst_row() const { return worst_row_; }
  /// The greatest condition in the last factorisation.
  double last_condition() const { return condition_; }
  /// The greatest condition of each group since `begin_step`. Empty if none is known.
  const std::vector<double>& conditions() const { return conditions_; }
  /// Whether more rows than expected are dependent at the beginning of the step.
  bool began_singular() const { return began_singular_; }

  // Verdicts on the last factorisation.

  /// Whether the pivots are about as large as at the start, so that the factors serve nearby states too.
  bool as_at_start() const;
  /// Whether the choice of redundant rows by these pivots is reliable.
  bool chooses_well() const;
  /// Whether states that are a little off the constraints would have worthless accelerations.
  bool steep() const;
  /// The same of any state since `begin_step`.
  bool was_steep() const;
  /// Whether a pivot has lost half of its digits: the rows are independent, but near a loss of rank.
  bool half_lost() const;
  /// Whether more rows are dependent than expected, or a pivot has lost half of its digits.
  bool in_doubt() const { return more_dependent() || half_lost(); }
  /// Whether the greatest pivot growth is below a thousandth of that at the start of the run.
  bool start_was_near() const;
  /// The row that makes the rank doubtful, or that has lost it; -1 if it is unknown.
  int doubtful_row() const { return more_dependent() ? found_.dependent_row : found_.greatest_row; }
  /// A message about this row, with its name in quotes.
  std::string doubt(const std::string& name) const;
  std::string loss(const std::string& name, const std::string& t) const;

  /// Whether the rows were observed, or `expect` was called.
  bool knows_rank() const { return expected_.has_value(); }
  /// Number of dependent rows at the start, or at the last call of `expect`; 0 if it is not known.
  int expected() const { return expected_.value_or(0); }
  /// From now on, this number of dependent rows is expected.
  void expect(int dependent);
  /// Whether a factorisation at the beginning of a step may set the reference of the condition. `reduced`:
  /// the step leaves out redundant rows.
  bool awaits_reference(bool reduced) const;

 private:
  bool more_dependent() const { return found_.dependent > found_.left_out.value_or(expected()); }
  void count(double condition, int row, std::size_t group);
  std::size_t group_of(int row) const;

  std::vector<int> groups_;
  Pivots found_;  ///< the last pivots, without their growth by row
  double condition_ = 1, worst_condition_ = 1;
  int worst_row_ = -1;
  std::vector<double> conditions_;
  bool beginning_ = true, began_singular_ = false;
  double growth_at_start_ = 0;  ///< the greatest of the first observation
  std::optional<int> expected_;
  struct References {
    std::vector<double> all;      ///< pivot growth by group at the start
    std::vector<double> reduced;  ///< the same with redundant rows left out, after their last choice
  };
  const References& references() const { return references_[found_.in_coordinates ? 1 : 0]; }

  References references_[2];  ///< with the velocities of bodies as unknowns, and with joint coordinates
};

}  // namespace torsor
