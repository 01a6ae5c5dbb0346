#pragma once

#include <string>
#include <vector>

#include "torsor/batch/study.hpp"
#include "torsor/io/columns.hpp"
#include "torsor/sim/trajectory.hpp"

namespace torsor::batch {

std::vector<std::string> names_of(const std::vector<Column>& columns);

/// Where the kept columns stand in the result table of a case; -1: it has no such column.
struct Picks {
  std::vector<int> at_end, timed;
};

/// The first case of a study, checked as a whole; it decides about the columns of all.
struct FirstCase {
  Scene scene;
  std::vector<Column> columns;  ///< of its result table
  std::vector<Column> at_end;   ///< those of the last sample that are kept
  Picks picks;
  double samples = 0;  ///< that its output asks for; 0: one a step
};
/// Throws SceneError, with overrides counted as the study's parameters.
FirstCase first_case(const Study& study);

/// The columns of a study's table behind the case's number: parameters, then status and message, then what is
/// kept.
struct Layout {
  std::vector<Column> parameters, results;
};
Layout layout(const Study& study, const FirstCase& first);

/// Gathers what is kept of one case, from its samples as they come to the end of its run. Columns are known
/// by their names, so that cases may differ in theirs: one that a case has not stays empty.
class Gather {
 public:
  Gather(const Study& study, const Scene& scene, const FirstCase& first);

  template <class AnySample>
  void sample(const AnySample& sample);
  /// The cells of all results.
  template <class AnyTrajectory>
  std::vector<Cell> finish(const AnyTrajectory& trajectory);

 private:
  template <class AnySample>
  const Picks& picks(const AnySample& sample);
  template <class AnySample>
  void put(const AnySample& sample, const std::vector<int>& picked, Cell* out);

  const Study& study_;
  const Scene& scene_;
  const FirstCase& first_;
  const Picks* picks_ = nullptr;  ///< of the first case, or its own
  Picks own_picks_;
  std::vector<Cell> timed_;
  std::size_t next_time_ = 0;
  std::vector<double> values_;
};

}  // namespace torsor::batch
