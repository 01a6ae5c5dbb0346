#pragma once

#include <optional>
#include <string>
#include <vector>

#include "batch/compare/compare_parts.hpp"
#include "io/tables/columns.hpp"
#include "torsor/batch/study.hpp"
#include "torsor/run/trajectory.hpp"

namespace torsor::batch {

std::vector<std::string> names_of(const std::vector<io::Column>& columns);

/// Where the kept columns are in the result table of a case; -1: the table has no such column.
struct Picks {
  std::vector<int> at_end, timed;
};

/// The first case of a study, checked as a whole; it determines the columns of all cases.
struct FirstCase {
  scene::Scene scene;
  std::vector<io::Column> columns;  ///< of its result table
  std::vector<io::Column> at_end;   ///< columns of the last sample that are kept
  Picks picks;
  double samples = 0;               ///< number of output times; 0: one sample for each step
  std::optional<Finish> reference;  ///< the end of the reference run, if the study has one
};
/// Throws SceneError, in which the index of an override is the index of the study's parameter.
FirstCase first_case(const Study& study);
/// The same with the reference run. Throws SceneError if this run does not reach its end, also if `cancelled`
/// ends it.
FirstCase first_case_with_reference(const Study& study, const std::function<bool()>& cancelled);

/// The columns of a study's table after the number of the case: parameters, then status and message, then
/// results.
struct Layout {
  std::vector<io::Column> parameters, results;
};
/// The first column in which two layouts differ, as a part of a sentence; empty if they are equal.
std::string difference(const Layout& then, const Layout& now);
Layout layout(const Study& study, const FirstCase& first);

/// Collects the kept values of one case while it runs. Columns are found by name, because cases may have
/// different columns; a column that a case does not have stays empty.
class Gather {
 public:
  Gather(const Study& study, const scene::Scene& scene, const FirstCase& first);

  /// Whether the sample at t has values that are kept, besides the first and the last sample of the case.
  bool reads(double t) const;
  void sample(const Sample& sample);
  /// The cells of all results.
  std::vector<Cell> finish(const Trajectory& trajectory);

 private:
  const Picks& picks(const Sample& sample);
  /// Two times near t that differ by at most this are equal, s.
  double near(double t) const;
  void put(const Sample& sample, const std::vector<int>& picked, Cell* out);
  /// The distance from the end of the reference run; NaN if the case ended at another time.
  double error_of(const Sample& last) const;

  const Study& study_;
  const scene::Scene& scene_;
  const FirstCase& first_;
  const Picks* picks_ = nullptr;  ///< the picks of the first case, or own_picks_
  Picks own_picks_;
  std::vector<Cell> timed_;
  std::size_t next_time_ = 0;
  std::vector<double> values_;
};

}  // namespace torsor::batch
